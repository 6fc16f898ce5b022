"""Hand-written dynamics codes with mistakes planted in their text; nothing here comes from the reference or the judge."""
