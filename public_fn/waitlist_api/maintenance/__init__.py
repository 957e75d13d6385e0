"""The scheduled job: finish intents, reconcile, rebuild, compare Redis with the record, measure."""
