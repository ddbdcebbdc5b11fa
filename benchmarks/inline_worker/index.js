/**
 * The peer of the endpoint's comparison: a market source that holds everything in its script. The replies are the same
 * as ours; charts and icons are base64, as a script can hold no bytes.
 */
import charts from "./charts.json";
import details from "./details.json";
import head from "./head.json";
import icons from "./icons.json";
import info from "./info.json";
import v2 from "./v2.json";

const JSON_HEADERS = { "Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*" };
const CHART = /^\/api\/v[12]\/applications\/([a-z0-9]{1,30})\/chart$/;
const ICON = /^\/icons\/([a-z0-9]{1,30})\.png$/;

const json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: JSON_HEADERS });

function file(store, name, type) {
  if (!Object.hasOwn(store, name)) return json({ code: 1, msg: "no such file" }, 404);
  const bytes = Uint8Array.from(atob(store[name]), (character) => character.charCodeAt(0));
  return new Response(bytes, { headers: { "Content-Type": type, "Access-Control-Allow-Origin": "*" } });
}

async function batch(request) {
  const { app_ids: ids = [], version = "1.12.6" } = await request.json();
  const apps = {};
  const missing = [];
  for (const id of ids) {
    if (Object.hasOwn(details, id)) apps[id] = details[id];
    else missing.push(id);
  }
  return json({ apps, version, not_found: missing });
}

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/v1/appstore/hash") return json(head);
    if (pathname === "/api/v1/appstore/info") return json(info);
    if (pathname === "/api/v1/applications/info") return batch(request);
    if (pathname === "/api/v2/catalog") {
      const { data, ...envelope } = v2[pathname];
      return json({ ...envelope, data: { ...data, source_id: searchParams.get("source_id") ?? data.source_id } });
    }
    if (Object.hasOwn(v2, pathname)) return json(v2[pathname]);
    if (CHART.test(pathname)) return file(charts, searchParams.get("fileName") ?? "", "application/gzip");
    const [, icon] = ICON.exec(pathname) ?? [];
    if (icon !== undefined) return file(icons, icon, "image/png");
    return json({ code: 1, msg: "no such path" }, 404);
  },
};
