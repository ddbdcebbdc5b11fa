/** The v2 protocol's replies that cannot be files: the catalog's head and one app. */
import { isObject, readObject } from "./assets";
import { findApp } from "./details";
import type { Env } from "./env";
import { Failure, fault } from "./failure";
import { success } from "./replies";

/** A device stores at most 50 characters, of its owner's choosing; an address is a plausible id as well. */
const SOURCE_ID = /^[\p{L}\p{N} ._:/@+~-]{1,50}$/u;

/** GET /api/v2/catalog: devices check that a source answers under the id they know it by. */
export async function catalog(request: Request, env: Env): Promise<Response> {
  const { data } = await readObject(env.ASSETS, "/_market/catalog.json");
  if (!isObject(data)) throw fault("the catalog has no data");
  const asked = new URL(request.url).searchParams.get("source_id") ?? "";
  return success(SOURCE_ID.test(asked) ? { ...data, source_id: asked } : data);
}

/** GET /api/v2/applications/<name>: one app's detail. */
export async function application(_request: Request, env: Env, name: string): Promise<Response> {
  const detail = await findApp(env.ASSETS, name);
  if (detail === null) throw new Failure(404, "no such app");
  return success(detail);
}
