"""What operators do, for the commands and for the console."""
