/** Which path is answered by what. */
import { fetchAsset } from "./assets";
import { batch } from "./batch";
import { application, catalog } from "./catalog";
import { chart, chartFile } from "./charts";
import type { Env } from "./env";
import { Failure } from "./failure";
import { failure, options, withoutBody } from "./replies";
import { isApiPath, site } from "./site";

type Handler = (request: Request, env: Env, part: string) => Promise<Response>;

interface Route {
  readonly path: RegExp;
  /** A GET handler answers HEAD as well. */
  readonly verb: "GET" | "POST";
  readonly handler: Handler;
}

const ROUTES: readonly Route[] = [
  { path: /^\/api\/v1\/applications\/info$/, verb: "POST", handler: batch },
  { path: /^\/api\/v[12]\/applications\/([a-z0-9]{1,30})\/chart$/, verb: "GET", handler: chart },
  { path: /^\/api\/v2\/applications\/([a-z0-9]{1,30})$/, verb: "GET", handler: application },
  { path: /^\/api\/v2\/catalog$/, verb: "GET", handler: catalog },
  { path: /^\/charts\/([^/]+)$/, verb: "GET", handler: chartFile },
  // The edge answers these itself (wrangler.toml); the Worker sees them only where it is set to run first.
  {
    path: /^\/api\/(?:v1\/appstore\/(?:hash|info)|v2\/(?:taxonomy|applications|browse\/applications)|status|openapi\.json|manifest|release)$/,
    verb: "GET",
    handler: apiFile,
  },
];

/** Answers any request; HEAD gets what GET would, less the body. */
export async function route(request: Request, env: Env): Promise<Response> {
  const response = await dispatch(request, env).catch(report);
  return request.method === "HEAD" ? withoutBody(response) : response;
}

async function dispatch(request: Request, env: Env): Promise<Response> {
  const { pathname } = new URL(request.url);
  for (const { path, verb, handler } of ROUTES) {
    const match = path.exec(pathname);
    if (match === null) continue;
    const allow = verb === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
    if (request.method === "OPTIONS") return options(allow);
    const asked = request.method === "HEAD" ? "GET" : request.method;
    if (asked !== verb) return failure(405, "method not allowed", { Allow: allow });
    return handler(request, env, match[1] ?? "");
  }
  return isApiPath(pathname) ? failure(404, "no such path") : site(request, env);
}

async function apiFile(request: Request, env: Env): Promise<Response> {
  return (await fetchAsset(env.ASSETS, request)) ?? failure(404, "no such path");
}

function report(error: unknown): Response {
  if (error instanceof Failure) return failure(error.status, error.message);
  console.error("unexpected", error);
  return failure(500, "internal error");
}
