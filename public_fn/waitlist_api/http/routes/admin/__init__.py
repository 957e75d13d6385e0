"""HTTP routes for operators."""
