"""The scheduled job: finish intents, reconcile, rebuild, audit Redis, write gauges."""
