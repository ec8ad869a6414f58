"""What authors test with: rehearse(), Script, and the fakes."""
