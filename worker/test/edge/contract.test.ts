/** The market source contract, row by row, over HTTP: wrangler.toml's routing, worker/headers.txt and the Worker together. */
import { type IncomingHttpHeaders, request } from "node:http";
import { describe, expect, inject, test } from "vitest";
import { ARCHIVED } from "./server";

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Sends the path exactly as written, which fetch() would not. */
function ask(path: string, { method = "GET", headers = {}, body }: Question = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: inject("port"), path, method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          body: Buffer.concat(chunks).toString("latin1"),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const HASH = "/api/v1/appstore/hash";
const INFO = "/api/v1/appstore/info";
const BATCH = "/api/v1/applications/info";
const CHART = "/api/v1/applications/demoone/chart";
const ONE = "8d6e212d";
const JSON_TYPE = /^application\/json/;
const FILES = [HASH, INFO, "/api/v2/taxonomy", "/api/v2/applications", "/api/v2/browse/applications", "/api/status", "/api/openapi.json", "/api/manifest", "/api/release"];

const post = (body: string | Buffer, headers: Record<string, string> = {}): Question => ({ method: "POST", body, headers });
const ids = (...list: unknown[]): string => JSON.stringify({ app_ids: list });
const apps = (...known: string[]) => (reply: Reply): void => {
  expect(Object.keys((JSON.parse(reply.body) as { apps: object }).apps)).toEqual(known);
};
const missing = (...list: string[]) => (reply: Reply): void => {
  expect(JSON.parse(reply.body)).toMatchObject({ apps: {}, not_found: list });
};
const header = (name: string, value: string | RegExp | undefined) => (reply: Reply): void => {
  if (value instanceof RegExp) expect(reply.headers[name]).toMatch(value);
  else expect(reply.headers[name]).toBe(value);
};

type Check = (reply: Reply) => void;
type Row = [row: string, path: string, question: Question, status: number, ...checks: Check[]];

const long = "x".repeat(10_000);
const isJson = header("content-type", JSON_TYPE);
const isChart = header("content-type", "application/gzip");
const isPlain = header("content-encoding", undefined);

const ROWS: readonly Row[] = [
  ["version missing", HASH, {}, 200, isJson, header("cache-control", "no-store")],
  ["version empty", `${INFO}?version=`, {}, 200, isJson, header("cache-control", "no-store")],
  ["version garbage", `${HASH}?version=%00%ff%3C`, {}, 200, isJson],
  ["version very long", `${INFO}?version=${"9".repeat(4000)}`, {}, 200, isJson],
  ["version very long, catalog", `/api/v2/catalog?version=${"9".repeat(4000)}`, {}, 200, isJson],

  ["trailing slash", `${HASH}/`, {}, 404, isJson],
  ["leading double slash", `/${HASH}`, {}, 404, isJson],
  ["inner double slash", "/api/v1//appstore/hash", {}, 404, isJson],
  ["double slash behind api", "/api//v1/appstore/hash", {}, 404, isJson],
  ["capitals", "/API/v1/appstore/hash", {}, 404, isJson],
  ["capital in the name", "/api/v1/appstore/Hash", {}, 404, isJson],
  ["encoded letter first", "/%61pi/v1/appstore/hash", {}, 404, isJson],
  ["encoded letter in api", "/a%70i/v1/appstore/hash", {}, 404, isJson],
  ["encoded letter in the name", "/api/v1/appstore/ha%73h", {}, 404, isJson],
  ["encoded slash", "/api%2Fv1/appstore/hash", {}, 404, isJson],
  ["html suffix", `${HASH}.html`, {}, 404, isJson],
  ["index suffix", `${HASH}/index`, {}, 404, isJson],

  ["unknown path", "/api/v1/nope", {}, 404, isJson],
  ["unknown v2 route", "/api/v2/rankings", {}, 404, isJson],
  ["api itself", "/api", {}, 404, isJson],
  ["unknown route as a browser asks", "/api/v2/rankings", { headers: { "Sec-Fetch-Mode": "navigate", Accept: "text/html" } }, 404, isJson],

  ["body empty", BATCH, post(""), 400, isJson],
  ["body invalid", BATCH, post("{"), 400, isJson],
  ["body null", BATCH, post("null"), 400, isJson],
  ["body array", BATCH, post("[]"), 400, isJson],
  ["body string", BATCH, post('"x"'), 400, isJson],
  ["app_ids missing", BATCH, post("{}"), 200, isJson, missing()],
  ["app_ids null", BATCH, post('{"app_ids":null}'), 200, isJson, missing()],
  ["app_ids string", BATCH, post('{"app_ids":"8d6e212d"}'), 400, isJson],
  ["app_ids object", BATCH, post('{"app_ids":{}}'), 400, isJson],
  ["app_ids number", BATCH, post('{"app_ids":1}'), 400, isJson],
  ["app_ids empty", BATCH, post(ids()), 200, isJson, missing()],
  ["a known id", BATCH, post(ids(ONE)), 200, isJson, apps(ONE), header("cache-control", "no-store")],
  ["unknown and hostile ids", BATCH, post(ids("ffffffff", ONE.toUpperCase(), "__proto__", "constructor", "toString", "", long)), 200, isJson, missing("ffffffff", ONE.toUpperCase(), "__proto__", "constructor", "toString", "", long)],
  ["numbers and nested ids", BATCH, post(ids(1, [ONE], { id: ONE })), 200, isJson, missing()],
  ["duplicate ids", BATCH, post(ids(ONE, ONE)), 200, isJson, apps(ONE)],
  ["duplicate unknown ids", BATCH, post(ids("x", "x")), 200, isJson, missing("x")],
  ["1000 ids", BATCH, post(ids(...Array(999).keys().map((n) => `x${n}`), ONE)), 200, isJson, apps(ONE)],
  ["1001 ids", BATCH, post(ids(...Array(1001).keys().map((n) => `x${n}`))), 413, isJson],
  ["body above 64 KB", BATCH, post(" ".repeat(70_000)), 413, isJson],
  ["body of 2 MB", BATCH, post(Buffer.alloc(2_000_000, 0x20)), 413, isJson],
  ["body of 2 MB in chunks", BATCH, post(Buffer.alloc(2_000_000, 0x20), { "Transfer-Encoding": "chunked" }), 413, isJson],
  ["wrong content type", BATCH, post(ids(ONE), { "Content-Type": "text/plain" }), 200, isJson, apps(ONE)],
  ["no content type", BATCH, post(ids(ONE)), 200, isJson, apps(ONE)],
  ["charset", BATCH, post(ids(ONE), { "Content-Type": "application/json; charset=UTF-8" }), 200, isJson, apps(ONE)],
  ["byte order mark", BATCH, post(`\ufeff${ids(ONE)}`), 200, isJson, apps(ONE)],
  ["gzip body", BATCH, post(ids(ONE), { "Content-Encoding": "gzip" }), 415, isJson],
  ["batch by GET", BATCH, {}, 405, isJson, header("allow", "POST, OPTIONS")],
  ["batch OPTIONS", BATCH, { method: "OPTIONS" }, 204, header("allow", "POST, OPTIONS"), header("access-control-allow-origin", "*")],

  ["chart", `${CHART}?fileName=demoone-1.2.0.tgz&version=1.2.0`, {}, 200, isChart, isPlain],
  ["chart v2", `${CHART.replace("v1", "v2")}?fileName=demoone-1.2.0.tgz&version=1.2.0`, {}, 200, isChart],
  ["chart without fileName", CHART, {}, 200, isChart],
  ["chart of another app", `${CHART}?fileName=demotwo-0.3.1-rc.1.tgz`, {}, 404, isJson],
  ["chart traversal", `${CHART}?fileName=../../_market/catalog.json`, {}, 404, isJson],
  ["chart encoded traversal", `${CHART}?fileName=%2e%2e%2fdemoone-1.2.0.tgz`, {}, 404, isJson],
  ["chart backslash", `${CHART}?fileName=..%5cdemoone-1.2.0.tgz`, {}, 404, isJson],
  ["chart NUL", `${CHART}?fileName=demoone-1.2.0.tgz%00`, {}, 404, isJson],
  ["chart absolute", `${CHART}?fileName=/charts/demoone-1.2.0.tgz`, {}, 404, isJson],
  ["chart double encoding", `${CHART}?fileName=demoone-1.2.0%252etgz`, {}, 404, isJson],
  ["chart constructor", `${CHART}?fileName=constructor`, {}, 404, isJson],
  ["chart unknown version", `${CHART}?fileName=demoone-9.9.9.tgz`, {}, 404, isJson],
  ["chart old version", `${CHART}?fileName=${ARCHIVED}&version=1.0.0`, {}, 200, isChart, (reply) => expect(reply.body).toBe(ARCHIVED)],
  ["chart old version, own address", `/charts/${ARCHIVED}`, {}, 200, isChart],
  ["chart range", `${CHART}?fileName=${ARCHIVED}`, { headers: { Range: "bytes=0-6" } }, 206, (reply) => expect(reply.body).toBe("demoone")],
  ["chart If-None-Match", CHART, { headers: { "If-None-Match": "*" } }, 304, (reply) => expect(reply.body).toBe("")],
  ["chart HEAD", CHART, { method: "HEAD" }, 200, isChart, header("content-length", /^[1-9]/)],
  ["chart for a gzip client", CHART, { headers: { "Accept-Encoding": "gzip, br" } }, 200, isPlain, header("content-length", /^[1-9]/), header("cache-control", "public, max-age=31536000, immutable")],
  ["old chart for a gzip client", `/charts/${ARCHIVED}`, { headers: { "Accept-Encoding": "gzip" } }, 200, isPlain, header("content-length", String(ARCHIVED.length))],
  ["chart file for a gzip client", "/charts/demoone-1.2.0.tgz", { headers: { "Accept-Encoding": "gzip, br" } }, 200, isChart, isPlain, header("cache-control", "public, max-age=31536000, immutable"), (reply) => expect(reply.body.slice(0, 2)).toBe("\x1f\x8b")],
  ["chart of an encoded name", "/api/v1/applications/demo%2Fone/chart", {}, 404, isJson],
  ["chart with extra segments", "/api/v1/applications/x/demoone/chart", {}, 404, isJson],
  ["no such chart file", "/charts/demoone-9.9.9.tgz", {}, 404, isJson],

  ["v2 app", "/api/v2/applications/demoone", {}, 200, isJson],
  ["v2 app unknown", "/api/v2/applications/nosuch", {}, 404, isJson, (reply) => expect(JSON.parse(reply.body)).toMatchObject({ code: 1 })],
  ["v2 catalog", "/api/v2/catalog?source_id=abc", {}, 200, isJson, (reply) => expect(JSON.parse(reply.body)).toMatchObject({ data: { source_id: "abc" } })],
  ["v2 catalog HEAD", "/api/v2/catalog", { method: "HEAD" }, 200, isJson, (reply) => expect(reply.body).toBe("")],
];

test.each(ROWS)("%s", async (_row, path, question, status, ...checks) => {
  const reply = await ask(path, question);
  expect(reply.status).toBe(status);
  expect(reply.headers.location).toBeUndefined();
  expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  for (const check of checks) check(reply);
});

describe.each(FILES)("%s is a file of the edge", (path) => {
  test("GET, HEAD and a condition", async () => {
    const get = await ask(path);
    expect(JSON.parse(get.body)).toBeTypeOf("object");
    for (const [name, value] of Object.entries({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "access-control-allow-origin": "*",
    })) {
      header(name, value)(get);
      header(name, value)(await ask(path, { method: "HEAD" }));
    }
    expect((await ask(path, { headers: { "If-None-Match": get.headers.etag ?? "" } })).status).toBe(304);
  });

  test.each(["OPTIONS", "POST", "DELETE"])("%s is 405 and names the verbs", async (method) => {
    const reply = await ask(path, { method });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe("GET, HEAD");
    expect(reply.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe("the site", () => {
  test.each<[string, string]>([
    ["/", "Accueil"],
    ["/en/", "Home"],
    ["/en/guide/", "Guide"],
    ["/en/guide/?x=1", "Guide"],
    ["/en/mod%C3%A8le/", "Mod"],
  ])("%s is a page", async (path, text) => {
    const reply = await ask(path);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toMatch(/^text\/html/);
    expect(reply.body).toContain(text);
    expect(reply.headers["content-security-policy"]).toContain("script-src 'self' 'sha256-x';");
    expect(reply.headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each([
    ["/en", "/en/"],
    ["/en/guide", "/en/guide/"],
    ["/en/guide/index.html", "/en/guide/"],
  ])("%s leads to %s", async (path, target) => {
    const reply = await ask(path);
    expect(reply.status).toBe(307);
    expect(reply.headers.location).toBe(target);
  });

  test.each(["/nope", "/nope/", "/404", "/404.html", "/en/404", "/en/404.html", "/_headers", "/_market/catalog.json", "/_market/details/13.json", "//evil.test/", "/%ff"])(
    "%s is the page that says so",
    async (path) => {
      const reply = await ask(path);
      expect(reply.status).toBe(404);
      expect(reply.headers["content-type"]).toMatch(/^text\/html/);
      expect(reply.headers["content-security-policy"]).toContain("script-src 'self'");
      expect(reply.body).toContain("<p>Page ");
    },
  );

  test("an icon may be shown anywhere", async () => {
    const reply = await ask("/icons/demoone.png");
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("image/png");
    expect(reply.headers["access-control-allow-origin"]).toBe("*");
  });
});
