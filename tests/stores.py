"""An in-memory store of finished parts that can interrupt the work it keeps."""

from __future__ import annotations

import threading

INTERRUPTED = "the store is full"


class MemoryStore:
    """Keeps parts as long as it lives; after a number of them it interrupts, as Ctrl-C does."""

    def __init__(self, most=None):
        self.kept = {}
        self.most = most
        self.asked = []
        self.computed = []
        self.damaged = []
        self.lock = threading.Lock()

    def began(self, work):
        """Record the start of a part."""
        self.asked.append(work)

    def has(self, work, part):
        """Whether a part is kept."""
        return (work, part) in self.kept

    def load(self, work, part):
        """Return a kept part, if any."""
        return self.kept.get((work, part))

    def save(self, work, part, arrays):
        """Keep copies, until there are enough."""
        with self.lock:
            if self.most is not None and len(self.computed) >= self.most:
                raise KeyboardInterrupt(INTERRUPTED)
            self.computed.append(part)
            self.kept[work, part] = {name: array.copy() for name, array in arrays.items()}

    def spoiled(self, work, part):
        """Note it, and forget the part."""
        self.damaged.append(part)
        del self.kept[work, part]

    def drop(self, work, part):
        """Forget the part."""
        self.kept.pop((work, part), None)
