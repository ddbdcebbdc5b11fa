// What sets two measured configurations apart, setting by setting, and what they share.

// Where a server listens and what it is called has no part in its speed, and files lie in other folders elsewhere.
const LEFT_OUT = new Set([
  "--host", "--port", "--alias", "--served-model-name", "--no-webui", "--metrics", "--model", "--mmproj",
  "--spec-draft-model", "--tokenizer", "--ctx-size", "--max-model-len",
]);

/** Rows of a table [name, first, second], parted into what differs and what is shared. */
export function settings(a, b, { words, names, figures, language }) {
  const lines = [
    ...facts(a, b, { words, names, figures }),
    ...protocol(a, b, { words, names, figures, language }),
    ...part("models", a, b, words, (role) => words[`role_${role}`] ?? role),
    ...part("options", a, b, words, (name) => name),
    ...part("environment", a, b, words, (name) => name),
  ];
  return { differing: lines.filter(([, x, y]) => x !== y), shared: lines.filter(([, x, y]) => x === y) };
}

function facts(a, b, { words, names, figures }) {
  const amount = (value) => (value === null ? words.not_stated : figures.number(value));
  const text = (value) => value ?? words.not_stated;
  return [
    [words.board_app, (row) => row.app],
    [words.versions_version, (row) => row.app_version ?? words.not_stated_f],
    [words.board_choose_hardware, (row) => names.hardware[row.hardware] ?? row.hardware],
    [words.board_engine, (row) => [names.engine[row.engine] ?? row.engine, row.engine_version].filter(Boolean).join(" ")],
    [words.protocol_image, (row) => text(row.image)],
    [words.board_quantisation, (row) => text(row.quantisation)],
    [words.protocol_context, (row) => amount(row.context_tokens)],
  ].map(([name, of]) => [name, of(a), of(b)]);
}

function protocol(a, b, { words, names, figures, language }) {
  const amount = (value) => (value === null || value === undefined ? words.not_stated : figures.number(value));
  const answer = (value) => (value === undefined ? words.not_stated : value ? words.yes : words.no);
  const sampling = (value) => {
    const found = Object.entries(value ?? {}).sort().map(([name, setting]) => `${name} ${setting}`);
    return found.length ? found.join(", ") : words.not_stated;
  };
  return [
    [words.protocol_prompt, ({ prompt }) => names.prompt[prompt] ?? prompt],
    [words.protocol_tokens, ({ tokens_per_run: tokens }) => amount(tokens)],
    [words.protocol_depth, ({ depth_tokens: depth }) => amount(depth)],
    [words.protocol_warmup, ({ warmup }) => warmup[language.slice(0, 2)] ?? warmup.en],
    [words.protocol_concurrency, ({ concurrency }) => amount(concurrency)],
    [words.protocol_sampling, (found) => sampling(found.sampling)],
    [words.protocol_vision, ({ vision_loaded: loaded }) => answer(loaded)],
  ].map(([name, of]) => [name, of(a.protocol), of(b.protocol)]);
}

/** One mapping of both configurations. What is absent was not set, unless the configuration was published in part. */
function part(kind, a, b, words, nameOf) {
  const [x, y] = [a.configuration, b.configuration];
  const keys = [...new Set([...Object.keys(x[kind]), ...Object.keys(y[kind])])].filter((key) => !LEFT_OUT.has(key));
  const side = (configuration, key) => {
    if (key in configuration[kind]) return plain(configuration[kind][key]) || words.yes;
    return configuration.complete ? words.compare_unset : words.compare_unpublished;
  };
  return keys.sort().map((key) => [nameOf(key), side(x, key), side(y, key)]);
}

/** A value that is JSON is written one way, so that its spacing makes no difference. */
function plain(text) {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
