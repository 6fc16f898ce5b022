"""Drake behind the engine protocol."""
