"""Models: the ones that talk to providers and the ones that need none."""
