"""Many clients, a private function with room for few: nothing acknowledged is lost."""
