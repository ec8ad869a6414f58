"""What a turn costs beside the model: Cuelight and other libraries, doing the same work."""
