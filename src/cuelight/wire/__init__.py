"""The shapes on the wire, and their codec."""
