"""Report: standing studies about one deck, rule set and list of strategies, as one page.

`subject` says what the report is about, `study` has the runs that all studies share and the
`Section` that a study returns, `studies` holds one module per study, `page` renders the sections
and `build` runs everything.
"""
