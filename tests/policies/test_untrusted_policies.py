"""Policy files named by data are not imported without consent."""

import pytest

import paxsim
from paxsim.policies.registry import policies_named_by

POLICY = """
import pathlib
import paxsim

pathlib.Path(__file__).with_suffix(".imported").touch()


@paxsim.policy
def thrifty(table, me, choice):
    return 0
"""


@pytest.mark.parametrize("spec", ["{}:thrifty", "search:self={}:thrifty"])
def test_policy_file_named_by_data_is_imported_only_if_trusted(spec, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(POLICY)
    marker = path.with_suffix(".imported")
    spec = spec.format(path)
    with policies_named_by("game.json", trusted=False):
        with pytest.raises(paxsim.PaxsimError, match=r"game\.json names .*--trust-policies"):
            paxsim.get_policy(spec)
        assert paxsim.get_policy("builder").name == "builder"
    assert not marker.exists()
    with policies_named_by("game.json", trusted=True):
        paxsim.get_policy(spec)
    assert marker.exists()
