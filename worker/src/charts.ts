/** Charts: those of this deployment are assets, older ones come from the archive. */
import { fetchAsset } from "./assets";
import { serveFile } from "./file";
import { findApp } from "./details";
import { md5 } from "./digest";
import type { Env } from "./env";
import { Failure, fault } from "./failure";

interface Chart {
  readonly file: string;
  readonly name: string;
  readonly version: string;
}

/** Olares stores versions in a column of this many characters. */
const VERSION_LIMIT = 16;
const FILE = /^([a-z0-9]{1,30})-(.+)\.tgz$/;
const NUMBER = "(?:0|[1-9][0-9]*)";
const LABEL = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const WORDS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${LABEL}(?:\\.${LABEL})*)?(?:\\+${WORDS})?$`,
);

/** GET /api/v{1,2}/applications/<name>/chart?fileName=…&version=…: the chart as devices ask for it. */
export async function chart(request: Request, env: Env, name: string): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const wanted = parseFile(query.get("fileName") ?? (await currentFile(env, name)));
  const version = query.get("version") || wanted.version;
  // A device keeps under the name and version it asked for whatever it is sent: a near match must not be sent.
  if (wanted.name !== name || wanted.version !== version) throw unknown();
  return serveChart(request, env, wanted);
}

/** GET /charts/<file>: the same bytes under their own address, once they are no longer among the assets. */
export async function chartFile(request: Request, env: Env, file: string): Promise<Response> {
  return serveChart(request, env, parseFile(decode(file)));
}

function unknown(): Failure {
  return new Failure(404, "no such chart");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw unknown();
  }
}

/** Only the exact form of a chart's file name passes, so nothing else can become a path or a key. */
function parseFile(file: string): Chart {
  const [, name = "", version = ""] = FILE.exec(file) ?? [];
  if (version.length > VERSION_LIMIT || !SEMVER.test(version)) throw unknown();
  return { file, name, version };
}

async function currentFile(env: Env, name: string): Promise<string> {
  const file = (await findApp(env.ASSETS, name))?.["chartName"];
  if (typeof file !== "string") throw unknown();
  return file;
}

async function serveChart(request: Request, env: Env, { file }: Chart): Promise<Response> {
  const bytes = (await fromAssets(env, file)) ?? (await fromArchive(env, file));
  if (bytes === null) throw unknown();
  // Charts are a few kilobytes, so both sources are read whole. The tag is made from the bytes: a chart keeps it when
  // a newer version moves it from the assets to the archive.
  return serveFile(request, { bytes, etag: `"${await md5(bytes)}"`, type: "application/gzip" });
}

async function fromAssets(env: Env, file: string): Promise<Uint8Array | null> {
  const response = await fetchAsset(env.ASSETS, `/charts/${encodeURIComponent(file)}`);
  return response === null ? null : readBytes(response, file);
}

async function fromArchive(env: Env, file: string): Promise<Uint8Array | null> {
  const key = `charts/${file}`;
  const object = await env.ARCHIVE.get(key).catch((error: unknown) => {
    throw fault(`archive ${key}`, error);
  });
  return object === null ? null : readBytes(object, key);
}

async function readBytes(source: Response | R2ObjectBody, what: string): Promise<Uint8Array> {
  const buffer = await source.arrayBuffer().catch((error: unknown) => {
    throw fault(what, error);
  });
  return new Uint8Array(buffer);
}
