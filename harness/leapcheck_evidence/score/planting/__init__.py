"""Defects planted by seed: robot files edited, states misread, answers altered. Nothing here knows the judge."""
