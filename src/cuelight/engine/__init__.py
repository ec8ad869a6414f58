"""The turn loop: one call, run by the laws."""
