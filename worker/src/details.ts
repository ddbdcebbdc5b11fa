/**
 * App details: 32 files, each holding the apps whose id falls into it. A file is one JSON object with one app a line,
 * so a reply is put together from pieces of the files: nothing is parsed, however many apps there are.
 */
import { fetchAsset } from "./assets";
import { md5 } from "./digest";
import { fault } from "./failure";

/** One app's v1 detail object. */
export type Detail = Readonly<Record<string, unknown>>;

/** By id, the UTF-8 text `"<id>":{…}` of an app: a member of a JSON object. */
export type Members = ReadonlyMap<string, Uint8Array>;

const APP_ID = /^[0-9a-f]{8}$/;
/** Characters of a member before its value: the id, its quotes and the colon. */
const KEY_LENGTH = 11;
const [NEWLINE, QUOTE, COMMA, COLON, OPEN, CLOSE] = [0x0a, 0x22, 0x2c, 0x3a, 0x7b, 0x7d];

/** What this isolate has read: the files of its deployment never change, and the next deployment has its own isolates. */
const kept = new WeakMap<Fetcher, Map<number, Members>>();

/** The number (0–31) of the file that holds the app with this id. */
export function shardOf(id: string): number {
  return Number.parseInt(id.slice(0, 2), 16) & 31;
}

/** Those `ids` that exist. Anything that is not shaped like an id is unknown without a look-up. */
export async function findMembers(assets: Fetcher, ids: readonly string[]): Promise<Members> {
  const known = ids.filter((id) => APP_ID.test(id));
  const numbers = [...new Set(known.map(shardOf))];
  const shards = await Promise.all(numbers.map((number) => shard(assets, number)));
  const byNumber = new Map(numbers.map((number, index) => [number, shards[index]]));
  const found = new Map<string, Uint8Array>();
  for (const id of known) {
    const member = byNumber.get(shardOf(id))?.get(id);
    if (member !== undefined) found.set(id, member);
  }
  return found;
}

/** The detail of the app called `name`, or null. Olares defines the id as the first 8 hex digits of the name's MD5. */
export async function findApp(assets: Fetcher, name: string): Promise<Detail | null> {
  const id = (await md5(new TextEncoder().encode(name))).slice(0, 8);
  const member = (await findMembers(assets, [id])).get(id);
  if (member === undefined) return null;
  const detail = JSON.parse(new TextDecoder().decode(member.subarray(KEY_LENGTH))) as Detail;
  return detail["name"] === name ? detail : null;
}

/** One file. Only what has arrived is kept, never a promise: a request must not wait for the reading of another. */
async function shard(assets: Fetcher, number: number): Promise<Members> {
  const shards = kept.get(assets) ?? new Map<number, Members>();
  kept.set(assets, shards);
  const known = shards.get(number);
  if (known !== undefined) return known;
  const path = `/_market/details/${number}.json`;
  const response = await fetchAsset(assets, path);
  if (response === null) throw fault(`asset ${path} is missing`);
  const buffer = await response.arrayBuffer().catch((error: unknown) => {
    throw fault(`asset ${path}`, error);
  });
  const members = split(new Uint8Array(buffer), path);
  shards.set(number, members);
  return members;
}

/**
 * Cuts a file into its members.
 *
 * @throws Failure 503 when it is not laid out as the build does it
 */
function split(bytes: Uint8Array, path: string): Members {
  const file = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  const members = new Map<string, Uint8Array>();
  if (file[0] !== OPEN || file.at(-1) !== CLOSE) throw fault(`asset ${path} is no JSON object`);
  for (let start = 2; start < file.length - 1; ) {
    const next = file.indexOf(NEWLINE, start);
    const end = next - (file[next - 1] === COMMA ? 1 : 0);
    const member = file.subarray(start, end);
    if (next < 0 || !isMember(member)) throw fault(`asset ${path} has a line that is no app`);
    members.set(new TextDecoder().decode(member.subarray(1, 9)), member);
    start = next + 1;
  }
  return members;
}

function isMember(line: Uint8Array): boolean {
  return (
    line[0] === QUOTE && line[9] === QUOTE && line[10] === COLON && line[KEY_LENGTH] === OPEN && line.at(-1) === CLOSE
  );
}
