"""What a log means: fold, projections, verify, fork."""
