"""Policies that do not come with the package: compiled so that they can't see or change too much.

A guest is handed the same records as a built-in policy, but under types that can't be written to
(`views`); everything it calls is compiled a second time under the same rules (`compiler`); what
can't be checked is refused by name (`allowed`); arithmetic without an answer is an error
(`arithmetic`); and a loop that does not end is stopped from outside (`watch`).
"""
