"""One line of each request and run, which is its metrics, too."""
