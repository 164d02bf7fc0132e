"""Games with people at the table: in the browser, or in the terminal.

`session` is one game, `arrangement` says which game, and keeps it on disk, `host` is what a table
is asked for by those who sit at it, `hints` asks the searcher, `server` and `terminal` are the two
ways to sit down.
"""
