"""What `make` runs that is too long for a recipe; nothing here is deployed or imported."""
