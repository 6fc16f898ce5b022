"""What each lint rule and each fault that the judge can name means: why it matters, an example, and what to do."""
