"""The events of the bus, made from the changes in the table's stream."""
