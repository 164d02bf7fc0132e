"""A first policy: play it and measure it.

Run it with ``python examples/my_first_policy.py``, or name it on the command line:
``paxsim run --players 4 --policies examples/my_first_policy.py:thrifty,builder,builder,builder``.
"""

import paxsim
from paxsim.helpers import BUY, PLAY, price_of_legion


@paxsim.policy
def thrifty(table, me, choice, top=3.0):
    """Buy only what is cheap, and play one card per turn."""
    last = choice.count - 1  # the last option buys nothing, or stops playing
    if choice.kind == BUY:
        for option in range(last):
            if price_of_legion(table, me.seat, choice.options[option]) <= top:
                return option
        return last
    if choice.kind == PLAY and table.played > 0:
        return last
    return 0


if __name__ == "__main__":
    print(paxsim.play([thrifty, "random", "random", "random"], seed=1))

    batch = paxsim.play_batch([thrifty, "random", "random", "random"], deals=2000, rotations="all")
    share = batch.shares[batch.positions == 0].mean()
    print(f"\nthrifty wins {share:.1%} of the games against three random players")

    generous = thrifty.with_params({"top": 6.0})
    batch = paxsim.play_batch([generous, "random", "random", "random"], deals=2000, rotations="all")
    share = batch.shares[batch.positions == 0].mean()
    print(f"with top=6 it wins {share:.1%}; parameters change without compiling again")
