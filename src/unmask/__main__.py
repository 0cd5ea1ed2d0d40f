"""`python -m unmask` is `unmask`."""

from __future__ import annotations

if __name__ == "__main__":
    from unmask.cli import main

    main()
