"""Faults that are not the contributor's: a missing tool, a full disk, a bug of ours."""

from __future__ import annotations


class MarketError(Exception):
    """A fault of the environment or of this program; the command exits with status 2.

    The text is one clear sentence that can be shown as it is, without a traceback.
    """


class InputError(Exception):
    """What was asked for or handed in is at fault; the command exits with status 1.

    The text is one clear sentence for whoever asked: what is wrong and what to do.
    """


class HelmError(Exception):
    """Helm refused a chart; the text is Helm's own. The caller turns it into a problem."""
