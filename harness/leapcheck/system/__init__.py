"""The operating system: processes, whole files, arrays of strangers, installed packages, plugins."""
