"""Other libraries, each in an environment of its own; run as `python -m bench.turns.peers.NAME` from the root."""
