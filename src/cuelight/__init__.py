"""Voice and chat agents whose conversation is governed by code."""
