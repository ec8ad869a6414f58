"""Stores: memory and SQLite."""
