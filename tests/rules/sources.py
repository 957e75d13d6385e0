"""Reads the deployed modules as text, and finds their imports."""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "private_fn" / "waitlist_queue" / "scripts"
PACKAGES = {
    "waitlist_api": ROOT / "public_fn" / "waitlist_api",
    "waitlist_queue": ROOT / "private_fn" / "waitlist_queue",
    "waitlist_shared": ROOT / "shared" / "waitlist_shared",
}


@dataclass(frozen=True)
class Module:
    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        return self.name.split(".")[0]

    @cached_property
    def imports(self) -> frozenset[str]:
        """The names of all imported modules, wherever in the code they are imported.

        `from a import b` counts as an import of both `a` and `a.b`.
        """
        found: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                source = f"{'.' * node.level}{node.module or ''}"
                found.add(source)
                found.update(f"{source}.{alias.name}" for alias in node.names)
        return frozenset(found)

    def imports_any_of(self, *packages: str) -> set[str]:
        return {
            name
            for name in self.imports
            if any(name == package or name.startswith(f"{package}.") for package in packages)
        }


def _modules() -> dict[str, Module]:
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            name = ".".join([package, *parts]).removesuffix(".__init__")
            found[name] = Module(name, path)
    return found


MODULES = _modules()


def modules_of(*packages: str) -> list[Module]:
    return [module for module in MODULES.values() if module.package in packages]


def imported_modules(module: Module) -> set[str]:
    return {name for name in module.imports if name in MODULES and name != module.name} - {
        "waitlist_shared",  # This is an empty package, whose modules are imported.
        "waitlist_queue",
    }
