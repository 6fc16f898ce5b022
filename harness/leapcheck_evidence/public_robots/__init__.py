"""The table of public robots: every model file of a folder, read and checked against the engines straight from the file."""
