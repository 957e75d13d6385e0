"""From a file of people to a waitlist: read, mapped, sent 500 at a time, told what was refused."""
