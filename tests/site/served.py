"""A built site behind a server of this machine, under the strictest policy that it has to work under."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from market.site.csp import script_hashes
from market.site.markup import Reader


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder until the block ends; gives its address without a slash at the end."""
    hashes = " ".join(f"'sha256-{digest}'" for digest in script_hashes(Reader().below(folder).values()))
    policy = (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(folder))

        def end_headers(self) -> None:
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
