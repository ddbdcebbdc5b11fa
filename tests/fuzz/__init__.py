"""Mutated inputs for the reader and the rules."""
