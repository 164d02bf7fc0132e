"""The report: what carries the standing studies out, and the page that shows what they found.

`plan` says how many games each run gets, `study` is what a study works with, `progress` shows how
far it is, `build` runs all studies, `page` writes the page, with tables as `display` shows them.
The studies themselves are in `paxsim.studies`, which knows `study` and `plan`; only `build` knows
them, by name.
"""
