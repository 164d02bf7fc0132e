"""Policies: how a seat decides. One heuristic a file, a registry, and the decorator `policy`."""

from paxsim.policies.policy import Policy, helper
from paxsim.policies.registry import find_policy, policy, policy_names

__all__ = ["Policy", "find_policy", "helper", "policy", "policy_names"]
