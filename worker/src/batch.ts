/** POST /api/v1/applications/info: a device asks for the details of a batch of apps. */
import { isObject } from "./assets";
import { readBody } from "./body";
import { findMembers } from "./details";
import type { Env } from "./env";
import { Failure } from "./failure";
import { jsonBytes } from "./replies";

const BODY_LIMIT = 64 * 1024;
const ID_LIMIT = 1000;
const VERSION_LIMIT = 64;

/** What a reply says when the device named no usable version; devices reject an empty one. */
const DEFAULT_VERSION = "1.12.6";

interface Batch {
  readonly ids: readonly string[];
  readonly version: string;
}

/** Answers with the details of the apps that are known, and lists the ids that are not. */
export async function batch(request: Request, env: Env): Promise<Response> {
  const { ids, version } = await readBatch(request);
  const found = await findMembers(env.ASSETS, ids);
  const missing = ids.filter((id) => !found.has(id));
  const rest = `},"version":${JSON.stringify(version)},"not_found":${JSON.stringify(missing)}}\n`;
  return jsonBytes(join([...found.values()], rest));
}

/** `{"apps":{`, the members with commas between them, then the rest of the reply. */
function join(members: readonly Uint8Array[], rest: string): Uint8Array {
  const encoder = new TextEncoder();
  const comma = encoder.encode(",");
  const between = members.flatMap((member, index) => (index === 0 ? [member] : [comma, member]));
  const pieces = [encoder.encode('{"apps":{'), ...between, encoder.encode(rest)];
  const body = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0));
  let offset = 0;
  for (const piece of pieces) {
    body.set(piece, offset);
    offset += piece.byteLength;
  }
  return body;
}

/** Devices differ in the content type they send, so the bytes alone decide. */
async function readBatch(request: Request): Promise<Batch> {
  const encoding = request.headers.get("Content-Encoding") ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity") throw unsupported();
  const bytes = await readBody(request, BODY_LIMIT);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw unsupported();
  const value = parse(bytes);
  if (!isObject(value)) throw new Failure(400, "the body must be a JSON object");
  return { ids: readIds(value["app_ids"]), version: readVersion(value["version"]) };
}

function unsupported(): Failure {
  return new Failure(415, "the body must not be compressed");
}

/** A byte order mark is dropped, bytes that are no UTF-8 are refused. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new Failure(400, "the body is not valid JSON");
  }
}

/** Every id once, in the order asked; what is not a string cannot be an id and is left out. */
function readIds(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Failure(400, "app_ids must be an array");
  if (value.length > ID_LIMIT) throw new Failure(413, `app_ids holds more than ${ID_LIMIT} ids`);
  return [...new Set(value.filter((id) => typeof id === "string"))];
}

function readVersion(value: unknown): string {
  if (typeof value !== "string") return DEFAULT_VERSION;
  return value.replace(/[^\x20-\x7e]/g, "").trim().slice(0, VERSION_LIMIT) || DEFAULT_VERSION;
}
