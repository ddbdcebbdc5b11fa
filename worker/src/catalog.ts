/** The v2 protocol's replies that cannot be files: the catalog's head and one app. */
import { isObject, readObject } from "./assets";
import { findApp } from "./details";
import type { Env } from "./env";
import { Failure, fault } from "./failure";
import { success } from "./replies";

const SOURCE_ID = /^[A-Za-z0-9._:-]{1,50}$/;

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
