/** What is not the API: the site's pages, and the page that says there is none. */
import { fetchAsset } from "./assets";
import type { Env } from "./env";

/** True for any spelling of a path below /api: doubled or encoded slashes and dots, other case, encoded letters. */
export function isApiPath(pathname: string): boolean {
  const ascii = (path: string): string =>
    path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /^[/\\][/\\.]*api(?![0-9a-z_-])/i.test(ascii(ascii(pathname)));
}

/** A path with a percent sign comes here before the assets have been asked; every other one is known to be missing. */
export async function site(request: Request, env: Env): Promise<Response> {
  const { pathname } = new URL(request.url);
  const page = pathname.includes("%") ? await fetchAsset(env.ASSETS, request) : null;
  return page ?? notFound(env, pathname);
}

/** The 404 page in the language of the path, else the default one. */
async function notFound(env: Env, pathname: string): Promise<Response> {
  const [, language] = /^\/([a-z]{2})\//.exec(pathname) ?? [];
  const page =
    (language === undefined ? null : await fetchAsset(env.ASSETS, `/${language}/404`)) ??
    (await fetchAsset(env.ASSETS, "/404")) ??
    new Response("404 Not Found\n", { headers: { "X-Content-Type-Options": "nosniff" } });
  const response = new Response(page.body, { status: 404, headers: page.headers });
  response.headers.set("Cache-Control", "no-store");
  response.headers.delete("ETag");
  return response;
}
