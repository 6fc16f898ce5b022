"""A robot out of a name or a file, and findings about a file."""
