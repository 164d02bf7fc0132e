"""The report: standing studies, their findings in words, and the page that shows them.

`plan` says how many games each run gets, `study` is what a study script works with, `fields` who
plays, `words` and `findings` turn tables into sentences, `page` writes the page, `build` runs it
all.
"""
