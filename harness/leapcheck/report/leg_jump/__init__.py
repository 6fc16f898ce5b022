"""Reports of a two-link leg's jump."""
