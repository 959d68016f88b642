"""Calls whatever the observer has put in the place of a function of torch's, with a stand-in for that function."""

import inspect
import sys
import threading

import torch
from _stetho_observer import guard

patches = guard.holders[0].__self__.patches


class Marker:
    """An argument or a result that nobody knows."""


class Raised(Exception):
    pass


def arguments(function) -> tuple[list, dict]:
    """One marker for each parameter, and one more of each kind where any number is taken."""
    positional, named = [], {}
    for parameter in inspect.signature(function, follow_wrapped=False).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            named["unheard_of"] = Marker()
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            positional.append(Marker())
    if function.__name__.startswith("clip_grad"):
        positional[0] = [torch.zeros(1, requires_grad=True)]
    return positional, named


def tried(wrapper, raises: bool) -> str:
    """Call a wrapper around a stand-in; what was wrong, if anything was."""
    original = wrapper.__wrapped__
    cell = next(c for c in wrapper.__closure__ if c.cell_contents is original)
    calls, result, error = [], None if wrapper.__name__ == "__init__" else Marker(), Raised()

    def standin(*args, **kwargs):
        calls.append((list(args), kwargs))
        if raises:
            raise error
        return result

    positional, named = arguments(wrapper)
    cell.cell_contents = standin
    try:
        given = wrapper(*positional, **named)
    except BaseException as caught:  # noqa: BLE001 - it is told
        if caught is not error:
            return f"raised {caught!r}"
    else:
        if raises or given is not result:
            return f"returned {given!r}"
    finally:
        cell.cell_contents = original
    if len(calls) != 1:
        return f"called {len(calls)} times"
    same = [a is b for a, b in zip(calls[0][0], positional, strict=False)]
    if not all(same) or len(calls[0][0]) != len(positional) or calls[0][1] != named:
        return f"passed on {calls[0]}"
    return ""


def in_thread(wrapper, raises: bool) -> str:
    told = []
    thread = threading.Thread(target=lambda: told.append(tried(wrapper, raises)))
    thread.start()
    thread.join()
    return told[0]


def compiling(wrapper, raises: bool) -> str:
    original = torch.compiler.is_compiling
    torch.compiler.is_compiling = lambda: True
    try:
        return tried(wrapper, raises)
    finally:
        torch.compiler.is_compiling = original


def off(wrapper, raises: bool) -> str:
    guard.off = True
    return tried(wrapper, raises)


optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)
optimizer.step()
names = [(owner, name) for owner, name, _, _ in patches.replaced]
count = 0
for owner, name in names:
    for way in (tried, in_thread, compiling, off):
        for raises in (False, True):
            # Some of the hooks cannot make sense of a marker, and switch the observer off.
            guard.off = False
            found = inspect.getattr_static(owner, name)
            wrapper = getattr(found, "__func__", found)
            wrong = way(wrapper, raises)
            count += 1
            if wrong:
                print(f"{owner.__name__}.{name}", way.__name__, "raising" if raises else "returning", wrong)
    if name == "compile":
        # It takes one of the others back for good.
        names[:] = [n for n in names if n in [(o, m) for o, m, _, _ in patches.replaced]]
guard.off = True
print("tried", count, "of", len(names), file=sys.stderr)
