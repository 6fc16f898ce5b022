"""Reports of a finished run: page, Markdown, JSON, tables and terminal; all read the same records, nothing is recomputed."""
