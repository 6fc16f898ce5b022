"""What mkdocs calls while it builds: the pages that are made from the program are added to those in docs/."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from leapcheck_evidence.site.generated import gallery_files, generated_pages


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of docs/ and the generated ones."""
    for uri, content in generated_pages().items():
        files.append(File.generated(config, uri, content=content))
    for name, source in gallery_files().items():
        files.append(File.generated(config, f"gallery/{name}", abs_src_path=str(source.resolve())))
    return files
