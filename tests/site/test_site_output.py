"""Hashes of inline scripts, and the check of the finished pages."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from market.files import below
from market.site.csp import blocked, script_hashes, strangers
from market.site.links import dead
from market.site.markup import Reader, read


def write(root: Path, **pages: str) -> Path:
    for name, html in pages.items():
        path = root / name.replace("__", "/")
        path = path.with_name(path.name + ".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, "utf-8")
    return root


def test_hashes_are_those_of_the_text_between_the_tags(tmp_path: Path) -> None:
    script = "let a = 1 < 2 && 'é';\n"
    site = write(
        tmp_path,
        a=f"<script>{script}</script><script src=x.js></script><script type='application/json'>{{}}</script>",
        en__b=f"<script>{script}</script><SCRIPT type=module>import 'x'</SCRIPT>",
    )
    wanted = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, "import 'x'")}
    assert script_hashes(Reader().below(site).values()) == tuple(sorted(wanted))


@pytest.mark.parametrize("html", ["", "<script src='a.js'></script>", "<p>script</p>", "<script type='x/y'>1</script>"])
def test_nothing_to_run(html: str) -> None:
    assert tuple(read(html).scripts) == ()


def test_an_authors_script_is_a_stranger(tmp_path: Path) -> None:
    theme = "<script>theme()</script>"
    write(
        tmp_path, **{"404": theme, "en__404": theme, "index": theme, "en__a__index": theme + "<script>evil()</script>"}
    )
    assert strangers(Reader().below(tmp_path), ["/", "/en/"]) == ("en/a/index.html",)


def test_what_the_policy_blocks_is_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        a="<p style='color:red'>x</p><style>p{}</style>",
        b='<svg><g STYLE="x:y"/></svg><a href="#" onClick="f()">x</a>',
        c='<p class="style" data-on="1">style="x" onclick="y"</p><code>&lt;style&gt;</code>',
    )
    assert blocked(Reader().below(tmp_path)) == (
        "a.html: <p style>",
        "a.html: <style>",
        "b.html: <a onclick>",
        "b.html: <g style>",
    )


def test_dead_links(tmp_path: Path) -> None:
    site = write(
        tmp_path,
        index=(
            '<a href="a/">1</a><a href="/a/#here">2</a><a href="a/#gone">3</a><a href="/b/">4</a><a href="#top">5</a>'
            '<h1 id="top"></h1><a href="https://x.example/">6</a><img src="/icons/x.png"><a href="mailto:x@y">7</a>'
            '<img src="https://x.example/pixel.png"><script src="//x.example/y.js"></script>'
            '<img src="data:image/png,x">'
            '<link rel="canonical" href="https://x.example/"><link rel="stylesheet" href="https://x.example/z.css">'
        ),
        a__index='<h2 id="here"></h2><a href="..">up</a><a href="../#top">up</a><a href="">self</a>',
    )
    assert dead(below(site), Reader().below(site)) == (
        "/index.html: /b/ leads nowhere",
        "/index.html: a/#gone has no such anchor",
        "/index.html: loads //x.example/y.js from another host",
        "/index.html: loads https://x.example/pixel.png from another host",
        "/index.html: loads https://x.example/z.css from another host",
    )
