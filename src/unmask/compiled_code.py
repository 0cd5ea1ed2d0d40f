"""Compiled kernels: numba is imported at the first call of one; and the folder that caches them.

Loading numba and a kernel takes a second, compiling one takes several. Kernels that declare how many steps their
arguments need run as Python source while all that a process runs this way stays shorter than that. The source is the
same, so the result is the same.

Numba caches them beside the source or in the user's cache folder, and refuses to compile if both are read-only, as for
a user without a home in containers and system services. Then they are cached for the lifetime of the process, in a
private folder, since its content is executed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import cache, update_wrapper
from pathlib import Path
from threading import Lock, get_ident, local
from typing import Any, ClassVar, TypeVar, cast

VARIABLE = "NUMBA_CACHE_DIR"


F = TypeVar("F", bound=Callable[..., Any])

_making = Lock()


class Interpreter(local):
    """Whether a thread runs kernels as Python source, and how many steps remain for all threads."""

    steps_left: ClassVar[int] = 500_000  # a step takes about a microsecond
    is_running: bool = False


_interpreter = Interpreter()


@contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels as Python source in this thread, however many steps they take."""
    before, _interpreter.is_running = _interpreter.is_running, True
    try:
        yield
    finally:
        _interpreter.is_running = before


class Kernel:
    """A function that numba compiles at its first call, unless few steps are interpreted; numba is not imported before.

    Other kernels call it, too: numba asks it for the attributes of its dispatcher, and takes it for one.
    """

    def __init__(self, function: Callable[..., Any], steps: Callable[..., int] | None, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._steps = steps
        self._options = options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - of any kernel
        """Call the compiled function, or its source."""
        if _interpreter.is_running:
            return self.py_func(*arguments, **named)
        if self._dispatcher is None and self._steps is not None:
            steps = self._steps(*arguments, **named)
            if steps <= Interpreter.steps_left:
                Interpreter.steps_left -= steps
                with interpreted():
                    return self.py_func(*arguments, **named)
        return (self._dispatcher or self._made())(*arguments, **named)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of numba's dispatcher
        """Return an attribute of numba's dispatcher."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._dispatcher or self._made(), name)

    def _made(self) -> Any:  # noqa: ANN401 - numba has no types
        with _making:
            if self._dispatcher is None:
                numba = _numba()
                _report_compilation()
                # No C program calls them, and compiling for it takes a tenth of the time.
                options: dict[str, Any] = {"no_cfunc_wrapper": True, **self._options}
                self._dispatcher = numba.njit(**options)(self.py_func)
        return self._dispatcher


@cache
def _numba() -> Any:  # noqa: ANN401 - numba has no types
    """Import numba: half a second, for commands that call no kernel."""
    with _NoLinearAlgebra():
        import numba  # noqa: PLC0415 - see above
        import numba.np.arraymath  # noqa: PLC0415 - else at the first compilation
    return numba


class _NoLinearAlgebra:
    """A finder of modules that refuses SciPy's linear algebra to this thread inside the `with` block.

    Numba loads it if it can, which takes a fifth of a second, and no kernel of ours multiplies matrices.
    """

    def __enter__(self) -> None:
        self.thread = get_ident()
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Refuse the module as if it were not installed."""
        del path, target
        if fullname == "scipy.linalg" and get_ident() == self.thread:
            raise ModuleNotFoundError(name=fullname)


class Compilation:
    """What surrounds each compilation of a kernel; the command line reports it as a step of work."""

    reported: ClassVar[Callable[[], AbstractContextManager[Any]]] = nullcontext


@cache
def _report_compilation() -> None:
    """Report from now on each compilation of a kernel; those in the cache are not compiled."""
    from numba.core import event  # noqa: PLC0415 - half a second

    class Listener(event.Listener):
        def __init__(self) -> None:
            self.depth = 0  # a kernel compiles those that it calls
            self.outermost = ExitStack()

        def on_start(self, event: object) -> None:
            del event
            if self.depth == 0:
                self.outermost.enter_context(Compilation.reported())
            self.depth += 1

        def on_end(self, event: object) -> None:
            del event
            self.depth -= 1
            if self.depth == 0:
                self.outermost.close()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def njit(*, steps: Callable[..., int] | None = None, **options: Any) -> Callable[[F], F]:  # noqa: ANN401 - as numba declares them
    """Return a decorator as `numba.njit`, that imports and compiles nothing before the first call.

    `steps` estimates the steps of the innermost loops, given the arguments; without it, every call is compiled.
    """

    def decorate(function: F) -> F:
        return cast("F", Kernel(function, steps, options))

    return decorate


class CacheFolder:
    """The cache folder of compiled code; None: numba's own choice."""

    folder: Path | None = None


def keep_compiled_code() -> Path | None:
    """Create and return a private cache folder if numba has none, else None; it is removed at exit."""
    if (
        os.environ.get(VARIABLE)
        or CacheFolder.folder is not None
        or _is_writable(Path(__file__).parent / "__pycache__")
    ):
        return CacheFolder.folder
    if _is_writable(Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "numba"):  # noqa: PTH111 - as numba does, also without a home
        return None
    with suppress(OSError):  # no writable place: numba raises an error
        CacheFolder.folder = Path(tempfile.mkdtemp(prefix="unmask-kernels-"))
        os.environ[VARIABLE] = str(CacheFolder.folder)
        atexit.register(shutil.rmtree, CacheFolder.folder, ignore_errors=True)
    return CacheFolder.folder


def _is_writable(folder: Path) -> bool:
    """Whether a folder is writable, or can be created."""
    existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
