"""`waitlist import`: reads a file, maps its columns, sends the rows, keeps rejected ones."""
