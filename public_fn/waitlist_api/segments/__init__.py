"""What a waitlist declares, and who stands in which segment."""
