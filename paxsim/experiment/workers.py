"""Where workers run: threads of this process, other processes, or a dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from pickle import PicklingError

from paxsim.errors import PaxsimError, missing_library, unknown
from paxsim.quoting import one_line, told

BACKENDS = ("threads", "processes", "dask")
#: How long a dask scheduler may take to answer.
ANSWER_SECONDS = 6
#: Settings of a dask cluster that is started here: its workers do not watch themselves work, which
#: takes them a share of every second and tells nothing about compiled games.
CLUSTER_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}


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
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    if address is not None and backend != "dask":
        raise PaxsimError(
            f"address: found {told(address)} with backend {backend}; allowed: with dask"
        )
    if address is not None and not isinstance(address, str):
        raise PaxsimError(f"address: found {told(address)}; allowed: e.g. tcp://host:8786")
    if backend == "threads":
        yield
        return
    import joblib  # slow to import, and threads need none of it

    if backend == "processes":
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1), _deaths_told():
            yield
    else:
        with _dask_client(address), joblib.parallel_config(backend="dask"), _deaths_told():
            yield


@contextmanager
def _deaths_told() -> Iterator[None]:
    """Say in one line what became of workers that did not come to an end of their work."""
    try:
        yield
    except (BrokenExecutor, CancelledError, PicklingError) as error:
        raise _worker_error(error) from None
    except Exception as error:
        if type(error).__name__ not in _DASK_ERRORS:
            raise
        raise _worker_error(error) from None


#: What dask raises when workers or the scheduler are gone; it may not be installed.
_DASK_ERRORS = ("KilledWorker", "CommClosedError")


def _worker_error(error: BaseException) -> PaxsimError:
    """What a worker said last, if it said something; else what is known of its end."""
    said = str(error.__cause__ or error).strip(' \n"')
    reason = one_line(said.splitlines()[-1] if said else type(error).__name__)
    return PaxsimError(
        f"backend: a worker ended before its work was done: {reason}; finished work is kept with "
        "--out, and the same command goes on"
    )


@contextmanager
def _dask_client(address: str | None) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise missing_library("backend", "dask") from None
    import dask

    try:
        with dask.config.set(CLUSTER_SETTINGS):  # a cluster elsewhere has settings of its own
            client = (
                Client(address, timeout=ANSWER_SECONDS, set_as_default=True)
                if address
                else Client()
            )
    except (OSError, ValueError) as error:
        raise PaxsimError(f"address: no dask scheduler answers at {address}: {error}") from None
    with client:
        yield
