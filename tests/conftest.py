"""What holds for all tests: an example of a property takes as long as a busy machine takes; each test has its limit."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
