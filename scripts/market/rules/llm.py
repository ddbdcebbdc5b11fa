"""Family ``llm``: what an app serves, and what is known of it. Importing it registers all of its rules."""

from __future__ import annotations

from market.rules import llm_card, llm_combinations, llm_memory, llm_models, llm_options, llm_server

THEMES = (llm_server, llm_options, llm_card, llm_models, llm_memory, llm_combinations)
"""From whether there is a server to what is known to fail."""
