"""The documentation's site: pages made from the program's own tables, pictures, and the code blocks that are run."""
