"""Policies: how a seat decides. One heuristic a file, a registry, and the decorator `policy`."""

from paxsim.policies.policy import Policy, helper
from paxsim.policies.registry import get_policy, list_policies, policy

__all__ = ["Policy", "get_policy", "helper", "policy", "list_policies"]
