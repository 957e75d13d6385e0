"""The operations of operators, which the commands and the console share."""
