/** Files of this deployment, read through the static assets binding. */
import { fault } from "./failure";

/** The host of an asset request plays no part: the binding looks at the path only. */
const ORIGIN = "https://assets.invalid";

/**
 * Asks for one file; null when there is none.
 *
 * @param wanted an absolute, percent-encoded path, or a caller's request to be answered as it stands
 * @throws Failure 503 when the assets themselves are out of order
 */
export async function fetchAsset(assets: Fetcher, wanted: string | Request): Promise<Response | null> {
  const request = typeof wanted === "string" ? new Request(ORIGIN + wanted) : wanted;
  const response = await assets.fetch(request).catch((error: unknown) => {
    throw fault(`asset ${request.url}`, error);
  });
  // A caller's own request may well end in 304 or a redirect; the Worker's never does.
  const expected = typeof wanted === "string" ? response.status === 200 : response.status < 500;
  if (expected && response.status !== 404) return response;
  await response.body?.cancel();
  if (response.status === 404) return null;
  throw fault(`asset ${request.url}: status ${response.status}`);
}

/** What this isolate has read: the files of its deployment never change, and the next deployment has its own isolates. */
const kept = new WeakMap<Fetcher, Map<string, Record<string, unknown>>>();

/**
 * Reads a JSON object that the build always writes; callers must not change it, as the next one gets the same.
 *
 * @throws Failure 503 when it is missing or is no JSON object
 */
export async function readObject(assets: Fetcher, path: string): Promise<Readonly<Record<string, unknown>>> {
  const objects = kept.get(assets) ?? new Map<string, Record<string, unknown>>();
  kept.set(assets, objects);
  const known = objects.get(path);
  if (known !== undefined) return known;
  const response = await fetchAsset(assets, path);
  if (response === null) throw fault(`asset ${path} is missing`);
  const value: unknown = await response.json().catch((error: unknown) => {
    throw fault(`asset ${path}`, error);
  });
  if (!isObject(value)) throw fault(`asset ${path} is no JSON object`);
  objects.set(path, value);
  return value;
}

/** True for a JSON object; false for null, arrays and scalars. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
