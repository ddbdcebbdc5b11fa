"""Start ACE-Step: lay out its checkpoints, run its API server, and serve its studio page and API on one port.

The API server compares and rewrites the small files of its checkpoints, so it gets copies of those and links to
the weights; the shared model folder stays as it was checked.
"""

from __future__ import annotations

import http.client
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MODELS = Path(os.environ.get("STUDIO_MODELS") or "/models/ACE-Step")
PROGRAM = Path(os.environ.get("STUDIO_PROGRAM") or "/app")
CHECKPOINTS = PROGRAM / "checkpoints"
MAIN = "Ace-Step1.5"
LARGE = 16 * 1024 * 1024
API_PORT = int(os.environ.get("STUDIO_API_PORT") or 8001)
PORT = int(os.environ.get("STUDIO_PORT") or 7860)
LONGEST_ANSWER = 3600
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-authenticate"}


def lay_out() -> None:
    """Give ACE-Step the folder it expects: parts of the main repository, and one folder for each other one."""
    for repository in sorted(MODELS.iterdir()):
        parts = sorted(repository.iterdir()) if repository.name == MAIN else [repository]
        for part in parts:
            if part.is_dir():
                place(part, CHECKPOINTS / part.name)


def place(source: Path, target: Path) -> None:
    """Link the large files of a folder and copy the small ones."""
    for path in sorted(source.rglob("*")):
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir(parents=True, exist_ok=True)
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        if path.stat().st_size > LARGE:
            copy.symlink_to(path)
        else:
            shutil.copyfile(path, copy)


def page() -> bytes:
    """The studio page, asking the API where the page itself comes from."""
    text = (PROGRAM / "ui" / "studio.html").read_text("utf-8")
    return text.replace("http://localhost:8001", "").encode("utf-8")


class Handler(BaseHTTPRequestHandler):
    """The page at the root; everything else goes to the API server and back, as it comes."""

    protocol_version = "HTTP/1.1"
    studio: bytes

    def do_GET(self) -> None:
        """Answer a GET request."""
        if self.path.partition("?")[0] in ("/", "/index.html"):
            self._send_page()
        else:
            self._forward()

    def do_POST(self) -> None:
        """Answer a POST request."""
        self._forward()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing; the API server has a log of its own."""

    def _send_page(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.studio)))
        self.end_headers()
        self.wfile.write(self.studio)

    def _forward(self) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        length = int(self.headers.get("Content-Length") or 0)
        connection = http.client.HTTPConnection("127.0.0.1", API_PORT, timeout=LONGEST_ANSWER)
        try:
            connection.request(self.command, self.path, self.rfile.read(length) if length else None, headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self.send_error(HTTPStatus.BAD_GATEWAY, f"The API server does not answer: {error}")
            connection.close()
            return
        self._return(answer)
        connection.close()

    def _return(self, answer: http.client.HTTPResponse) -> None:
        self.send_response(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if answer.headers.get("Content-Length") is None:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        shutil.copyfileobj(answer, self.wfile)


def answers() -> bool:
    """Whether the API server answers."""
    connection = http.client.HTTPConnection("127.0.0.1", API_PORT, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main() -> int:
    """Run until the API server ends; its exit status is ours."""
    lay_out()
    command = [sys.executable, "-m", "acestep.api_server", "--host", "127.0.0.1", "--port", str(API_PORT)]
    server = subprocess.Popen([*command, *sys.argv[1:]], cwd=PROGRAM)  # noqa: S603 - the chart's own words
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    while server.poll() is None and not answers():
        time.sleep(1)
    if server.poll() is None:
        Handler.studio = page()
        web = ThreadingHTTPServer(("0.0.0.0", PORT), Handler)  # noqa: S104 - the pod's Service reaches it here
        threading.Thread(target=web.serve_forever, daemon=True).start()
        logging.info("studio page and API on port %s", PORT)
    status = server.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    sys.exit(main())
