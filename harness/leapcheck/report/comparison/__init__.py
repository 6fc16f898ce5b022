"""Reports of a comparison: page, Markdown, JSON, tables and terminal."""
