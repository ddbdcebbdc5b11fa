"""What devices reach in these tests: a local deployment, and like the Worker the archive for older charts."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from tests.publish.servers import Archive

from market.device.folder import FolderTransport
from market.device.transport import Reply
from market.publish.deployment import ASSETS, CURRENT


@contextlib.contextmanager
def edge(deployed: Path, archive: Archive) -> Iterator[str]:
    """Serve what ``deployed/current`` leads to; each request is answered from one release."""
    store = archive.store()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            reply = self._market().get(parts.path, query)
            if reply.status == 404 and parts.path.endswith("/chart"):
                found = store.read(f"charts/{query.get('fileName', '')}")
                if found is not None:
                    reply = Reply("GET", self.path, 200, {"content-type": "application/gzip"}, found.data, found.data)
            self._send(reply)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._send(self._market().post(self.path, body))

        def _market(self) -> FolderTransport:
            return FolderTransport((deployed / CURRENT).resolve() / ASSETS)

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status or 500)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with served(Handler) as url:
        yield url


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that are killed in the middle of a request."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextlib.contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server on a free port in a thread of this process."""
    server = _Server(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
