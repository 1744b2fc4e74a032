"""A queue in which nobody has to wait until all items of another owner are done."""

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """A queue in which owners take turns, and the tables (such as matches) of each owner."""

    def __init__(self) -> None:
        self.owners: dict[Hashable, dict[Hashable, deque[Item]]] = {}

    def __len__(self) -> int:
        return sum(len(items) for tables in self.owners.values() for items in tables.values())

    def put(self, owner: Hashable, table: Hashable, item: Item) -> None:
        """Adds an item for an owner; `table` is the object that the item is about, such as a match."""
        self.owners.setdefault(owner, {}).setdefault(table, deque()).append(item)

    def take(self) -> Item | None:
        """Removes and returns the next item, or None; its owner and its table move behind the others."""
        if not self.owners:
            return None
        owner = next(iter(self.owners))
        tables = self.owners.pop(owner)
        table = next(iter(tables))
        items = tables.pop(table)
        item = items.popleft()
        if items:
            tables[table] = items
        if tables:
            self.owners[owner] = tables
        return item
