"""The front desk of a vet."""
