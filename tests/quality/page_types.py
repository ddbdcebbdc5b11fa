"""The kinds of pages that the gates look at, and the browser that they use."""

from __future__ import annotations

from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")

PAGE_TYPES = (
    "/", "/leaderboard/", "/compare/", "/apps/", "/apps/llamacppqwen36a3bone/", "/apps/vllmgemma426ba4bvisionone/",
    "/apps/dflashqwen36one/", "/method/", "/bench/", "/hardware/", "/engines/", "/claims/", "/status/",
    "/rules/", "/rules/chart.cluster-rights/", "/blog/", "/blog/qwen36-a3b-vision-gpu-swap/", "/blog/archive/2026/",
    "/blog/category/vision/", "/404.html", "/en/", "/en/leaderboard/", "/en/apps/llamacppqwen36a3bone/", "/en/rules/",
    "/en/blog/which-app-when/", "/en/404.html",
)  # fmt: skip
"""One address for each kind of page, some of them in both languages; the third app has no chart."""

REDIRECT = "/apps/llamacppqwen36beellamavisionone/"
"""The page of an old name, which leads on at once."""
