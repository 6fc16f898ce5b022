"""The user's engines outside this process: C libraries, programs over a pipe, Python factories, and recorded data."""
