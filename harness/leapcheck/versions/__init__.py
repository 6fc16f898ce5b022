"""One engine in several versions, each in an environment of its own: which quantities changed, and with which version."""
