"""`python -m leapcheck.engines.outside` prints the folder of leapcheck_engine.h and PROTOCOL.md, for a compiler's -I."""

from pathlib import Path

if __name__ == "__main__":
    print(Path(__file__).parent)
