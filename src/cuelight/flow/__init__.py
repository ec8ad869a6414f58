"""Routes: where the conversation goes next."""
