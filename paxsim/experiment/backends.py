"""Where workers run: threads of this process, other processes, or a dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from paxsim.errors import PaxsimError, unknown

BACKENDS = ("threads", "processes", "dask")
#: How long a dask scheduler may take to answer.
ANSWER_SECONDS = 6


@contextmanager
def workers(backend: str = "threads", address: str | None = None) -> Iterator[None]:
    """Choose the backend for everything that is played inside.

    Parameters
    ----------
    backend : str
        ``"threads"``, ``"processes"`` or ``"dask"``.
    address : str, optional
        Scheduler of the dask cluster, e.g. ``tcp://host:8786``; without it a cluster of this
        machine's cores is started.
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    if address is not None and backend != "dask":
        raise PaxsimError(f"address: found {address!r} with backend {backend}; allowed: with dask")
    if backend == "threads":
        yield
        return
    import joblib  # slow to import, and threads need none of it

    if backend == "processes":
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            yield
    else:
        with _dask_client(address), joblib.parallel_config(backend="dask"):
            yield


@contextmanager
def _dask_client(address: str | None) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise PaxsimError(
            "backend: dask is not installed; allowed: pip install paxsim[dask]"
        ) from None
    try:
        client = (
            Client(address, timeout=ANSWER_SECONDS, set_as_default=True) if address else Client()
        )
    except (OSError, ValueError) as error:
        raise PaxsimError(f"address: no dask scheduler answers at {address}: {error}") from None
    with client:
        yield
