"""The same bytes on every machine: what files say does not hang on the last bit of a number.

`test_report_page.py` compares a whole report with one that another processor wrote.
"""

import ast
from pathlib import Path

import numpy as np

import paxsim
from paxsim.experiment.result import written_number
from paxsim.stats.multiple import max_t_quantile

#: Those that put equals in any order unless told not to.
SORTS = ("sort_values", "argsort")


def test_numbers_in_files_have_as_many_decimals_as_machines_agree_on():
    third = 1 / 3
    assert written_number(third) == written_number(np.nextafter(third, 1)) == "0.333333333"
    assert written_number(0.25) == "0.25"
    assert written_number(1e20 / 3) == "3.333333333e+19"


def test_equal_correlations_leave_no_choice_of_root():
    """Four equal seats: any turn of the eigenvectors is as good, and gives the same limits."""
    equal = np.eye(4) * 4 / 3 - 1 / 3
    noise = 1e-15 * np.random.default_rng(1).standard_normal((20, 4, 4))
    found = {round(max_t_quantile(equal + (n + n.T), 99), 9) for n in noise}
    assert len(found) == 1


def test_equals_stay_in_their_order_wherever_tables_are_sorted():
    """Which of two equals an unstable sort puts first depends on what the processor can do."""
    found = 0
    for path in Path(paxsim.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in SORTS:
                by_several = bool(node.args) and isinstance(node.args[0], ast.List)
                kinds = [word.value.value for word in node.keywords if word.arg == "kind"]
                assert by_several or kinds == ["stable"], f"{path.name}, line {node.lineno}"
                found += 1
    assert found > 20
