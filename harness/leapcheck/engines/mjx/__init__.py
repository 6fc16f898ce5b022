"""MJX behind the engine protocol."""
