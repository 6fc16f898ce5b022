"""`leapcheck rule NAME`: what a lint rule or a fault means, an example, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro


@dataclass(frozen=True)
class RuleCommand:
    """Explain a rule of `leapcheck lint` or a fault that `leapcheck explain` names: what it means, an example, what to do.

    Without a name, list them all. The same pages are in the documentation.

    Examples:
      leapcheck rule
      leapcheck rule realisability
      leapcheck rule quaternion
      leapcheck rule inertia-xy/FR_hip
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")] = ""
    """Name of a rule, as in brackets behind a finding, or of a cause."""

    def run(self) -> int:
        """Prints the page or the list; returns 0."""
        from leapcheck.catalogue.pages import fault_pages, page_of, rule_pages

        if self.name:
            print(page_of(self.name))
            return 0
        print("Rules of leapcheck lint:\n" + "\n".join(f"  {name}" for name in rule_pages()))
        print(
            "\nFaults that the judge names:\n" + "\n".join(f"  {slug:<15}  {page.title}" for slug, page in fault_pages().items())
        )
        return 0
