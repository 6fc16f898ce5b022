"""The same jump many times over, with everything a little otherwise."""
