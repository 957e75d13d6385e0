"""The import of a file: reads it, maps its columns, sends its rows and keeps refused rows."""
