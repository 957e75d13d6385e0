"""The private function as its callers see it: messages, the client, recovery of a cold order."""
