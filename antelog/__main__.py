"""`python -m antelog` is the command `antelog`."""

from antelog.cli.entry import main

if __name__ == "__main__":
    main()
