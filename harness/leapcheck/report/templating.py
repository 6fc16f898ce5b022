"""The templates of pages and of Markdown, compiled when leapcheck is built: compiling them takes longer than a report.

Compiled templates are Python modules in `compiled/`, written by `python -m leapcheck.report.templating`, which each build of
the package runs (`hatch_build.py`). One is used only for the very text and version of Jinja that it was made of; where there
is none, the text is compiled as Jinja does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, MutableMapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import BaseLoader, Environment, StrictUndefined, Template
from markupsafe import Markup

from leapcheck.report.markdown import Markdown, escape
from leapcheck.system.text import printable

FOLDER = Path(__file__).parent / "templates"
COMPILED = Path(__file__).parent / "compiled"

Filters = Mapping[str, Callable[..., Any]]


def page_templates(filters: Filters) -> Environment:
    """The templates of pages: what they show is escaped, but for `Markup`."""
    return _environment("html", True, _page_text, filters)


def markdown_templates(filters: Filters) -> Environment:
    """The templates of Markdown: what they show is escaped, but for `Markdown`."""
    return _environment("md", False, _markdown_text, filters)


def compile_templates(folder: Path = COMPILED) -> None:
    """Writes the module of each template into a folder, made where missing; those of earlier templates go."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.py"):
        old.unlink()
    for environment in (page_templates({}), markdown_templates({})):
        environment.filters = _AnyFilter(environment.filters)
        loader = environment.loader
        assert isinstance(loader, TemplateLoader)
        for name in (path.name for path in FOLDER.glob("*.j2") if f".{loader.kind}." in path.name or path.suffixes == [".j2"]):
            text, filename, _ = loader.get_source(environment, name)
            source = environment.compile(text, name, filename, raw=True, defer_init=True)
            loader.module(name, folder).write_text(f"{source}\nmade_of = '{loader.digest(text)}'\n", encoding="utf-8")


class TemplateLoader(BaseLoader):
    """Templates of one kind, `html` or `md`: compiled modules where they are of the same text, else the text."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, None]:  # noqa: ARG002
        """Text and path of a template."""
        path = FOLDER / template
        if path.parent != FOLDER or not path.is_file():
            raise jinja2.TemplateNotFound(template)
        return path.read_text(encoding="utf-8"), str(path), None

    def load(self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> Template:
        """The template, without compiling where it is compiled."""
        text, filename, _ = self.get_source(environment, name)
        place = self.module(name, COMPILED)
        spec = spec_from_file_location(f"leapcheck.report.compiled.{place.stem}", place) if place.is_file() else None
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            if getattr(module, "made_of", "") == self.digest(text):
                module.__file__ = filename  # as tracebacks name it
                return environment.template_class.from_module_dict(environment, vars(module), globals or {})
        return super().load(environment, name, globals)

    def module(self, name: str, folder: Path) -> Path:
        """The module of a template."""
        return folder / f"{self.kind}_{name.replace('.', '_')}.py"

    def digest(self, text: str) -> str:
        """What a compiled template is made of: the text, its kind, and the Jinja that compiled it."""
        return hashlib.sha256(f"{jinja2.__version__}\n{self.kind}\n{text}".encode()).hexdigest()


def _environment(kind: str, autoescape: bool, finalize: Callable[[Any], Any], filters: Filters) -> Environment:
    environment = Environment(
        loader=TemplateLoader(kind),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    environment.filters |= filters
    return environment


def _page_text(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _markdown_text(value: Any) -> Any:
    return value if isinstance(value, Markdown) else escape(value) if isinstance(value, str) else value


class _AnyFilter(dict[str, Any]):
    """Filters for compiling alone: a report's own are not applied then, not even to constants."""

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ARG002
        return super().get(name, _refuse)


def _refuse(*_: Any) -> Any:
    raise NotImplementedError("a report's filters are known when it is written")


if __name__ == "__main__":
    compile_templates()
