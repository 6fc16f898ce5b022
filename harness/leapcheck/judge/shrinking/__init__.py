"""The smallest state and the smallest robot on which an engine is still wrong, and the state on which it is most wrong."""
