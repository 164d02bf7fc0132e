"""Policies: built-in heuristics, the registry, and the decorators for users' policies."""

from paxsim.policies.policy import Policy, helper
from paxsim.policies.registry import get_policy, list_policies, policy

__all__ = ["Policy", "get_policy", "helper", "policy", "list_policies"]
