// The rows of the leaderboard: what they hold, which pass, and in what order.

/** One row of the table as data. */
export function readRow(row) {
  const [n, mean, deviation, estimated] = JSON.parse(row.dataset.series);
  return {
    row,
    id: row.dataset.id,
    series: { n, mean, deviation, estimated: estimated === 1 },
    text: `${row.textContent} ${row.dataset.id}`.toLowerCase(),
    can: row.dataset.can.split(" "),
    raw: "raw" in row.dataset,
  };
}

/** Whether a row passes the filters of a view. An unknown amount never passes a limit. */
export function passes(found, view, value) {
  const { engine, family, hardware, prompt } = found.row.dataset;
  const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (
    words.every((word) => found.text.includes(word)) &&
    [[view.engine, engine], [view.family, family], [view.hardware, hardware], [view.prompt, prompt]].every(
      ([wanted, own]) => !wanted || wanted === own,
    ) &&
    view.can.every((name) => found.can.includes(name)) &&
    (!view.raw || found.raw) &&
    (!view.ships || value(found, "shipped") === "same") &&
    (!view.context || value(found, "context") >= Number(view.context)) &&
    (!view.vram || value(found, "vram") <= Number(view.vram))
  );
}

/** Sorts by one column. Unknown values come last in either direction; equal rows keep the order of the page. */
export function order(rows, { key, numeric, descending }, value, language) {
  const collator = new Intl.Collator(language, { numeric: true });
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = value(a, key);
    const y = value(b, key);
    if (numeric) {
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return sign * (x - y);
    }
    return sign * collator.compare(x, y);
  });
}
