"""Engines' answers on blocks of states, compared and reduced to tallies. It judges nothing."""
