"""`python -m cuelight` is the `cuelight` command."""

from cuelight.cli import main

if __name__ == "__main__":
    main()
