"""Implements the operators' actions. The commands and the console share this code."""
