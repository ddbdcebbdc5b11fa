/** App details: 32 files, each holding the apps whose id falls into it. */
import { isObject, readObject } from "./assets";
import { md5 } from "./digest";

/** One app's v1 detail object. */
export type Detail = Readonly<Record<string, unknown>>;

const APP_ID = /^[0-9a-f]{8}$/;

/** The number (0–31) of the file that holds the app with this id. */
export function shardOf(id: string): number {
  return Number.parseInt(id.slice(0, 2), 16) & 31;
}

/**
 * The details of those `ids` that exist. Anything that is not shaped like an id is unknown without a look-up, and a
 * look-up sees own properties only, so no string can reach a prototype.
 */
export async function findDetails(assets: Fetcher, ids: readonly string[]): Promise<Map<string, Detail>> {
  const known = ids.filter((id) => APP_ID.test(id));
  const shards = new Map(
    await Promise.all(
      [...new Set(known.map(shardOf))].map(
        async (shard) => [shard, await readObject(assets, `/_market/details/${shard}.json`)] as const,
      ),
    ),
  );
  const found = new Map<string, Detail>();
  for (const id of known) {
    const shard = shards.get(shardOf(id));
    const detail = shard !== undefined && Object.hasOwn(shard, id) ? shard[id] : undefined;
    if (isObject(detail)) found.set(id, detail);
  }
  return found;
}

/** The detail of the app called `name`, or null. Olares defines the id as the first 8 hex digits of the name's MD5. */
export async function findApp(assets: Fetcher, name: string): Promise<Detail | null> {
  const id = (await md5(new TextEncoder().encode(name))).slice(0, 8);
  const detail = (await findDetails(assets, [id])).get(id);
  return detail?.["name"] === name ? detail : null;
}
