"""Can this two-link leg jump with this servo? The push at constant body acceleration, computed, judged and shown."""
