"""Writes the expected values again: `python make.py [gaussian|logistic|poisson|reference]...`."""

import importlib
import sys

FAMILIES = ["gaussian", "logistic", "poisson", "reference"]

if __name__ == "__main__":
    for family in sys.argv[1:] or FAMILIES:
        importlib.import_module(f"make_{family}").main()
