"""Messages to the people of a list: by mail and SMS, once, and only while they are true."""
