"""A tensor is known again by its memory, and what is remembered is not held."""

from __future__ import annotations

import weakref

import torch

from stetho.observer.change.memory import Memory, shares_memory


def test_what_lies_in_the_same_memory_is_known() -> None:
    made, other = torch.randn(4, 3), torch.randn(4, 3)
    memory = Memory(4)
    memory.add([made])
    assert all(t in memory for t in (made, made.detach(), made[1:], made.view(12)))
    assert not any(t in memory for t in (other, made.clone(), made + 0))
    assert shares_memory(made, made.t()) and not shares_memory(made, other)


def test_what_is_remembered_is_let_go_of() -> None:
    memory, sizes = Memory(100), set()
    for _ in range(50):
        made = torch.randn(1000)
        memory.add([made])
        watched = weakref.ref(made)
        del made
        assert watched() is None
        new = torch.randn(1000)
        # The memory of the last one may be given to this one, which is another all the same.
        assert new not in memory
        sizes.add(new.data_ptr())
    assert len(sizes) < 50


def test_only_the_last_few_are_remembered() -> None:
    memory, all_of_them = Memory(3), [torch.randn(2) for _ in range(5)]
    memory.add(all_of_them)
    assert [t in memory for t in all_of_them] == [False, False, True, True, True]


def test_tensors_without_memory_of_their_own_are_never_known() -> None:
    memory = Memory(4)
    sparse, empty, meta = torch.eye(3).to_sparse(), torch.empty(0), torch.empty(3, device="meta")
    memory.add([sparse, empty, meta])
    assert not any(t in memory for t in (sparse, empty, meta))
    assert not shares_memory(sparse, sparse)
    found = torch.vmap(lambda row: torch.tensor(float(row in memory)) + row.sum() * 0)(torch.randn(3, 2))
    assert not found.any()
