"""Family ``olares``: what the app needs of the machine (`spec.accelerator`, `spec.required…`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from market import quantity
from market.problem import Problem
from market.rules.olares_manifest import Manifest, manifest_check, platform_check, text_of
from market.rules.registry import declare
from market.yamldoc import Path

LINT_MODES: Final = ("cpu", "nvidia", "nvidia-gb10", "apple-m", "amd-gpu", "strix-halo", "mthreads-m1000")
PLATFORM_MODES: Final = ("amd", "intel", "intel-gpu", "moore-soc", "amd-apu")
GPU_MEMORY_MODES: Final = ("nvidia", "amd-gpu")
ARCHITECTURES: Final = {
    "nvidia": "amd64", "amd-gpu": "amd64", "strix-halo": "amd64", "nvidia-gb10": "arm64", "mthreads-m1000": "arm64",
}  # fmt: skip
REQUIRED_FLAT: Final = ("requiredCpu", "limitedCpu", "requiredMemory", "limitedMemory", "requiredDisk")
FLAT: Final = (*REQUIRED_FLAT, "limitedDisk", "requiredGpu", "limitedGpu")
GPU_MEMORY: Final = ("requiredGPUMemory", "limitedGPUMemory")
PAIRS: Final = (
    ("requiredCpu", "limitedCpu"), ("requiredMemory", "limitedMemory"), ("requiredDisk", "limitedDisk"),
    GPU_MEMORY,
)  # fmt: skip
AUTO: Final = "-1"

declare("olares.resources-missing", "error", "No statement of what the app needs",
        why="The platform reserves processor, memory and disk from these values and refuses an app that does "
            "not state them.",
        fix="From form 0.12.0 on fill in `spec.accelerator`; in earlier forms give requiredCpu, limitedCpu, "
            "requiredMemory, limitedMemory and requiredDisk below `spec`.",
        source="Olares framework/oac validateAppSpec, isLegacyEnvelopeMissing")  # fmt: skip
declare("olares.resources-twice", "error", "Needs stated in two ways",
        why="`spec.accelerator` and the flat fields say the same thing; with both, nobody knows which holds.",
        fix="Keep `spec.accelerator` and delete the flat field.",
        source="Olares framework/oac ensureLegacyAndResourcesAreMutuallyExclusive")  # fmt: skip
declare("olares.accelerator-in-v2", "error", "`spec.accelerator` in a manifest of apiVersion v2",
        why="The v2 layout has a quota for each sub-chart and knows no accelerators.",
        fix="Use apiVersion v3, or the flat fields.",
        source="Olares framework/oac validateAppSpec")  # fmt: skip
declare("olares.supported-gpu", "error", "`spec.supportedGpu` in form 0.12.0",
        why="Accelerators replaced it; the platform refuses the old field.",
        fix="Name the accelerator under `spec.accelerator` with its mode.",
        source="Olares framework/oac validateAppSpec")  # fmt: skip
declare("olares.accelerator-mode", "error", "An accelerator that Olares does not know",
        why="No machine offers it, so the app can be installed nowhere.",
        fix=f"Modes that every part of the platform knows: {', '.join(LINT_MODES[:5])}.",
        source="Olares framework/oac validResourceModes; Olares manifest documentation 0.12.0")  # fmt: skip
declare("olares.accelerator-mode-disputed", "advice", "An accelerator that only part of Olares knows",
        why="Sources disagree: the platform and its documentation list this mode, its checker refuses it.",
        fix=f"Modes that every part of the platform knows: {', '.join(LINT_MODES[:5])}.",
        source="Olares framework/oac validResourceModes; Olares manifest documentation 0.12.0")  # fmt: skip
declare("olares.accelerator-architecture", "error", "An accelerator without its processor architecture",
        why="The accelerator comes with one architecture only, and `spec.supportArch` leaves that one out.",
        fix="Add the architecture to `spec.supportArch`, or remove the accelerator.",
        source="Olares framework/oac modeArchRequirement")  # fmt: skip
declare("olares.gpu-memory", "error", "GPU memory that is missing, or stated where there is none",
        why="nvidia and amd-gpu have memory of their own, which is reserved; the other modes share the main "
            "memory and must not state any.",
        fix="Give requiredGPUMemory and limitedGPUMemory for nvidia and amd-gpu, and for no other mode.",
        source="Olares framework/oac ensureSectionComplete, ensureNoGPUSection")  # fmt: skip
declare("olares.limit-below-request", "error", "A limit below the request",
        why="The app would be promised more than it may use; the platform refuses it.",
        fix="Raise the limit or lower the request.",
        source="Olares framework/oac checkLimitGERequired, CheckResourceLimits")  # fmt: skip
declare("olares.auto-resource", "error", "`-1` where the platform cannot compute a value",
        why="`-1` leaves the value to the installation, which only works for template apps, and never for disk.",
        fix="Write a quantity, or set `options.templateOnly`.",
        source="Olares framework/oac AutoResourceValue")  # fmt: skip


@platform_check
def stated(manifest: Manifest) -> Iterator[Problem]:
    """Needs are stated in the way of the manifest's form, and in one way only."""
    accelerators, flat = manifest.list("spec", "accelerator"), _flat(manifest)
    if not isinstance(manifest.get("spec"), dict):
        return
    if not manifest.is_modern or manifest.api == "v2":
        missing = [key for key in REQUIRED_FLAT if key not in flat]
        if missing:
            message = f"`spec` lacks {', '.join(missing)}"
            yield manifest.problem("olares.resources-missing", "spec", message=message, key=True)
    elif not accelerators and not set(flat) - {"requiredGpu", "limitedGpu"}:
        message = "neither `spec.accelerator` nor the flat fields"
        yield manifest.problem("olares.resources-missing", "spec", message=message, key=True)
    for key in flat if accelerators else ():
        message = f"`spec.{key}` beside `spec.accelerator`"
        yield manifest.problem("olares.resources-twice", "spec", key, message=message, key=True)
    for index in range(len(accelerators)):
        for key in _auto(manifest, "spec", "accelerator", index) if manifest.is_modern else ():
            yield _not_computed(manifest, "spec", "accelerator", index, key)
    for key in _auto(manifest, "spec"):
        yield _not_computed(manifest, "spec", key)


@platform_check
def obsolete(manifest: Manifest) -> Iterator[Problem]:
    """Fields that a form does not have."""
    if manifest.api == "v2" and manifest.list("spec", "accelerator"):
        message = "accelerators in apiVersion v2"
        yield manifest.problem("olares.accelerator-in-v2", "spec", "accelerator", message=message, key=True)
    if manifest.is_modern and manifest.list("spec", "supportedGpu"):
        message = f"`spec.supportedGpu` in form {manifest.version}"
        yield manifest.problem("olares.supported-gpu", "spec", "supportedGpu", message=message, key=True)


@platform_check
def modes(manifest: Manifest) -> Iterator[Problem]:
    """Accelerators are ones that exist."""
    for index, entry in _accelerators(manifest):
        mode, at = text_of(entry.get("mode")), ("spec", "accelerator", index, "mode")
        if mode in PLATFORM_MODES:
            message = f"{mode} is not known everywhere"
            yield manifest.problem("olares.accelerator-mode-disputed", *at, message=message)
        elif mode and mode not in LINT_MODES:
            yield manifest.problem("olares.accelerator-mode", *at, message=f"{mode!r} is no accelerator mode")


@manifest_check
def accelerators(manifest: Manifest) -> Iterator[Problem]:
    """Each accelerator has its architecture and, where it has memory of its own, that memory."""
    supported = manifest.list("spec", "supportArch")
    for index, entry in _accelerators(manifest):
        mode, at = text_of(entry.get("mode")), ("spec", "accelerator", index)
        needed = ARCHITECTURES.get(mode)
        if needed and needed not in supported:
            message = f"{mode} needs {needed} in `spec.supportArch`"
            yield manifest.problem("olares.accelerator-architecture", *at, "mode", message=message)
        for key in GPU_MEMORY:
            stands = bool(text_of(entry.get(key)))
            if mode in GPU_MEMORY_MODES and not stands:
                yield manifest.problem("olares.gpu-memory", *at, message=f"{mode} needs `{key}`")
            elif mode in (*LINT_MODES, *PLATFORM_MODES) and mode not in GPU_MEMORY_MODES and stands:
                message = f"{mode} has no GPU memory of its own"
                yield manifest.problem("olares.gpu-memory", *at, key, message=message, key=True)


@manifest_check
def limits(manifest: Manifest) -> Iterator[Problem]:
    """No limit is below its request."""
    for index, entry in _accelerators(manifest):
        yield from _ordered(manifest, entry, PAIRS, ("spec", "accelerator", index))
    spec = manifest.get("spec")
    if isinstance(spec, dict) and not manifest.is_modern and manifest.api != "v2":
        # The form before 0.12.0 compares only these two, when it weighs the containers against them.
        yield from _ordered(manifest, spec, PAIRS[:2], ("spec",))


def _accelerators(manifest: Manifest) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Accelerators where they count: the platform does not look at them in earlier forms."""
    if manifest.is_modern and manifest.api != "v2":
        yield from manifest.entries("spec", "accelerator")


def _flat(manifest: Manifest) -> dict[str, str]:
    stated = {key: manifest.text("spec", key) for key in FLAT}
    return {key: value for key, value in stated.items() if value}


def _auto(manifest: Manifest, *path: str | int) -> Iterator[str]:
    for key in (*FLAT, *GPU_MEMORY):
        if manifest.text(*path, key).strip() == AUTO and (
            key.endswith("Disk") or not manifest.is_set("options", "templateOnly")
        ):
            yield key


def _not_computed(manifest: Manifest, *path: str | int) -> Problem:
    return manifest.problem("olares.auto-resource", *path, message=f"`{path[-1]}` is -1")


def _ordered(
    manifest: Manifest, entry: Mapping[str, Any], pairs: tuple[tuple[str, str], ...], at: Path
) -> Iterator[Problem]:
    for low, high in pairs:
        least, most = text_of(entry.get(low)), text_of(entry.get(high))
        try:
            if quantity.parse(most) < quantity.parse(least):
                message = f"`{high}` is {most}, `{low}` is {least}"
                yield manifest.problem("olares.limit-below-request", *at, high, message=message)
        except ValueError:
            # Missing, computed at installation, or reported by the schema.
            continue
