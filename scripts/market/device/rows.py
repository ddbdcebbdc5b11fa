"""The rows of the device's catalog: which details are kept, which updated, which lose their whole batch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from market.device.details import Batch
from market.device.deviation import Fault, Finding, key_path, named, shown
from market.device.entry import nul_path, read_entry
from market.device.state import Row

VERSION_LENGTH, ID_LENGTH, NAME_LENGTH = 16, 32, 100
"""Characters that the columns of the device's database hold."""

_HIDDEN = ("suspend", "remove")
_SEMVER = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")


def apply_details(
    rows: Mapping[str, Row], batches: Sequence[Batch], *, database: bool
) -> Finding[tuple[Mapping[str, Row], tuple[str, ...]]]:
    """Write the details into the rows: insert new, update where the version differs, delete nothing.

    ``database`` says whether the generation keeps rows in PostgreSQL, whose limits reject a batch as a
    whole. The value is the new rows and the ids that were inserted or updated.
    """
    kept = dict(rows)
    changed: list[str] = []
    faults: list[Fault] = []
    for batch in batches:
        fresh, found = _rows_of(batch)
        faults += found
        rejected = _database_faults(fresh, batch) if database else []
        faults += rejected
        if rejected:
            continue
        for row in fresh:
            if row.id not in kept or kept[row.id].version != row.version:
                kept[row.id] = row
                changed.append(row.id)
    note = f"{len(changed)} changed, {len(kept)} in all"
    return Finding((kept, tuple(sorted(changed))), tuple(faults), note)


def _rows_of(batch: Batch) -> tuple[list[Row], list[Fault]]:
    rows: list[Row] = []
    faults: list[Fault] = []
    for key, detail in batch.apps.items():
        row, found = _row(key, detail)
        faults += named(found, detail.get("name"))
        rows += [row] if row else []
    return rows, faults


def _row(key: str, detail: Mapping[str, Any]) -> tuple[Row | None, list[Fault]]:
    """Make the row of a detail object, or none where the device leaves the app out."""
    path = key_path("$.apps", key)
    entry, found = read_entry(detail, path)
    faults = list(found)
    if any(str(label).lower() in _HIDDEN for label in entry.get("appLabels", ())):
        why = "the device leaves out an app with this label; it does not appear in the store"
        faults.append(Fault(key_path(path, "appLabels"), f"labels are {shown(entry['appLabels'])}", why))
        return None, faults
    version = entry.get("version", "").strip()
    if not version:
        return None, faults  # the field mapping has said so
    if not _SEMVER.fullmatch(version):
        why = "the store compares versions as semantic versions and offers no update otherwise"
        faults.append(Fault(key_path(path, "version"), f"{shown(version)} is not semantic", why))
    return Row(key, entry.get("name") or entry.get("title") or key, version, entry), faults


def _database_faults(rows: Sequence[Row], batch: Batch) -> list[Fault]:
    others = f"the database refuses it, and with it all {len(batch.ids)} apps of the request"
    faults: list[Fault] = []
    for row in rows:
        path = key_path("$.apps", row.id)
        columns = (
            ("version", row.version, VERSION_LENGTH),
            ("id", row.id, ID_LENGTH),
            ("name", row.name, NAME_LENGTH),
        )
        own = [
            Fault(key_path(path, column), f"{column} has {len(value)} characters, at most {most} fit", others)
            for column, value, most in columns
            if len(value) > most
        ]
        nul = nul_path(_stored(row), path)
        own += [Fault(nul, "the text holds a NUL character", others)] if nul else []
        faults += named(own, row.name)
    return faults


def _stored(row: Row) -> dict[str, Any]:
    """Return what of an entry is stored; its ``metadata`` is not."""
    return {key: value for key, value in row.entry.items() if key != "metadata"}
