"""Policies: how a seat decides. One heuristic a file, a registry, and the decorator `policy`."""

from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy, policy, policy_names

__all__ = ["Policy", "find_policy", "policy", "policy_names"]
