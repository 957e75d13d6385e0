"""What a person sees and types: options, tables, files."""
