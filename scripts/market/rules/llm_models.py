"""Family ``llm``: model files and engine version, against what the server loads and the image is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from market import quantity, vram
from market.catalog import App, Catalog
from market.objects import mapping
from market.packaging import Package
from market.problem import Problem
from market.rules.chart_views import Finding, View, at_document
from market.rules.llm_views import at_option, at_origin, each_serving
from market.rules.registry import app_check, declare, package_check
from market.serving import Serving

FILE_OPTIONS = {
    "--model": "target", "--mmproj": "mmproj", "--spec-draft-model": "draft", "--mtp-head": "draft",
    "--lora": "lora", "--model-vocoder": "vocoder",
}  # fmt: skip
TOLERANCE = 0.01
"""How far a published size in GB, which is rounded, may lie from the exact one."""

declare("llm.model-file", "error", "The server loads a file that `models` does not name",
        why="Nothing downloads it, and neither disk budget nor memory estimate counts it.",
        fix="Add the file under `models` in values.yaml, or correct the option.",
        source="design of this catalog: one home for every fact")  # fmt: skip
declare("llm.unused-model", "warning", "A model file that no option loads",
        why="It is downloaded and stored for nothing, or the option that should load it is missing.",
        fix="Remove it from `models`, or add the option.",
        source="design of this catalog: one home for every fact")  # fmt: skip
declare("llm.model-size", "warning", "A model file without its size",
        why="Without sizes nobody can tell whether an app fits on a disk or on the card.",
        fix="Add `gigabytes` (decimal GB, as the model hub shows them) or, better, `bytes`.",
        source="design of this catalog")  # fmt: skip
declare("llm.model-sizes-differ", "error", "Two sizes for one model file",
        why="`bytes` and `gigabytes` must be the same size; a gigabyte here has 10^9 bytes.",
        fix="Correct one of them, or remove `gigabytes`.",
        source="design of this catalog")  # fmt: skip
declare("llm.disk", "error", "The model files are larger than the disk that the app asks for",
        why="Olares installs the app where it does not fit, and the download fails near its end.",
        fix="Raise `requiredDisk` to at least the sum of the files.",
        source="Olares manifest documentation 0.12.0, spec.accelerator")  # fmt: skip
declare("llm.engine-image", "error", "The card names another engine version than the image is",
        why="Options, known faults and pages go by the version; they would be those of another one.",
        fix="Write the version of the image under `engine.version`, or correct the image.",
        source="data/engines.yaml")  # fmt: skip
declare("llm.engine-version", "warning", "An engine version that data/engines.yaml does not know",
        why="Without an entry nobody can tell which image it is, and when it came.",
        fix="Add the version with image and date to data/engines.yaml.",
        source="data/engines.yaml")  # fmt: skip


@package_check
def loaded(catalog: Catalog, package: Package) -> Iterator[Problem]:
    """Files and version are those of the server."""
    yield from each_serving(catalog, package, files, engine_image)


def files(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """Every file that an option loads is named, and every named one is loaded."""
    named = [_key(model) for model in found.models]
    if not named or not all(named):
        return
    used: set[str] = set()
    for what, finding in _vllm_models(found) if found.is_vllm else _llama_models(found):
        matches = [name for name in named if name and _is_same(name, what, found.is_vllm)]
        used.update(matches)
        if not matches:
            yield finding
    if found.options.has("--hf-repo"):
        return
    for index, name in enumerate(named):
        if name not in used and found.models[index].get("role") != "tokenizer":
            message = f"no option loads {name}"
            yield at_document("llm.unused-model", found.app.values_document, "models", index, message=message)


def _llama_models(found: Serving) -> Iterator[tuple[str, Finding]]:
    for name in FILE_OPTIONS:
        option = found.option(name)
        if option is not None and option.value and not option.is_unsure:
            message = f"`models` does not name {option.value}"
            yield option.value, at_option("llm.model-file", found, option, message=message)


def _vllm_models(found: Serving) -> Iterator[tuple[str, Finding]]:
    model = found.option("--model")
    if found.options.rest:
        first = found.options.rest[0]
        message = f"`models` does not name {first.text}"
        yield first.text, at_origin("llm.model-file", found, first.origin, message=message)
    elif model is not None:
        message = f"`models` does not name {model.value}"
        yield model.value, at_option("llm.model-file", found, model, message=message)
    for option in filter(None, (found.option("--speculative-config", "--spec-model"), found.option("--tokenizer"))):
        name = found.speculative_config.get("model") if option.name == "--speculative-config" else option.value
        if isinstance(name, str) and name:
            message = f"`models` does not name {name}"
            yield name, at_option("llm.model-file", found, option, message=message)


def _key(model: Mapping[str, Any]) -> str:
    """Repository and file of a model, or an empty text."""
    repo, file = model.get("repo"), model.get("file", "")
    return f"{repo}/{file}".rstrip("/") if isinstance(repo, str) and isinstance(file, str) else ""


def _is_same(name: str, path: str, is_vllm: bool) -> bool:
    """Whether a path on the machine is that of a named file; folders above it may be others."""
    if is_vllm:
        return path == name or path.endswith(f"/{name}") or path == name.rpartition("/")[0]
    return path == name or path.endswith((f"/{name}", f"/{name.rpartition('/')[2]}"))


def engine_image(found: Serving, view: View) -> Iterator[Finding]:  # noqa: ARG001
    """The image is that of the version on the card."""
    version, image = found.release.text, _bare(found.image)
    recorded = found.engine.images.get(version)
    card = found.app.card_document
    others = [name for name, other in found.engine.images.items() if _bare(other) == image and name != version]
    if recorded is not None and _bare(recorded) != image:
        message = f"`engine.version` is {version}, whose image is {recorded}; the chart runs {found.image}"
        yield at_document("llm.engine-image", card, "engine", "version", message=message)
    elif recorded is None and others:
        message = f"`engine.version` is {version}, but {found.image} is {others[0]}"
        yield at_document("llm.engine-image", card, "engine", "version", message=message)
    elif recorded is None and version.lower() not in image.lower():
        message = f"neither data/engines.yaml nor the image {found.image} knows version {version}"
        yield at_document("llm.engine-version", card, "engine", "version", message=message)


def _bare(image: str) -> str:
    return image.removeprefix("docker.io/").partition("@")[0]


@app_check
def sizes(app: App) -> Iterator[Problem]:
    """Every file has one size."""
    values = app.values_document
    models = values.get("models")
    for index, model in enumerate(models if isinstance(models, list) else ()):
        if not isinstance(model, dict):
            continue
        if vram.file_size(model) is None:
            message = f"{_key(model) or 'this model'} has no size"
            yield values.problem("llm.model-size", "models", index, message=message)
        exact, published = model.get("bytes"), vram.file_size({**model, "bytes": None})
        if isinstance(exact, int) and published and abs(exact - published) > _slack(published):
            message = f"{exact} bytes are not {published / vram.GB:g} GB"
            yield values.problem("llm.model-sizes-differ", "models", index, "gigabytes", message=message)


def _slack(published: int) -> float:
    """What rounding a published size explains: a hundredth, or half of its last decimal of 0.1 GB."""
    return max(TOLERANCE * published, 0.05 * vram.GB)


@app_check
def disk(app: App) -> Iterator[Problem]:
    """The disk that the manifest asks for holds the files."""
    needed = vram.files_size(vram.models_of(app.values))
    entries = mapping(app.manifest.get("spec")).get("accelerator")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        asked = _bytes(mapping(entry).get("requiredDisk"))
        if asked is not None and 0 < asked < needed:
            message = f"the files have {vram.shown(needed)}, `requiredDisk` is {entry['requiredDisk']}"
            path = ("spec", "accelerator", index, "requiredDisk")
            yield app.manifest_document.problem("llm.disk", *path, message=message)


def _bytes(value: Any) -> int | None:
    try:
        return int(quantity.parse(value)) if isinstance(value, str) else None
    except ValueError:
        return None
