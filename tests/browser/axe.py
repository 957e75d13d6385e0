"""Runs axe-core, which finds accessibility problems on a web page, such as a button that a screen
reader cannot name.
"""

from functools import cached_property
from pathlib import Path

from playwright.sync_api import Page

SOURCE = Path(__file__).with_name("node_modules") / "axe-core" / "axe.min.js"


class Axe:
    @cached_property
    def source(self) -> str:
        assert SOURCE.exists(), "axe-core is missing: make test-browser installs it"
        return SOURCE.read_text("utf-8")

    def violations(self, page: Page) -> list[str]:
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(self.source)
        found = page.evaluate("async () => (await axe.run()).violations")
        return [
            f"{rule['id']}: {node['target']}: {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"]
        ]
