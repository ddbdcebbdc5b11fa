/** Which paths exist, which verbs they take, and what is said where there is nothing. */
import { describe, expect, test } from "vitest";
import { isApiPath } from "../src/site";
import { CHART, INFO, ask, expectFailure, expectSafe, readJson } from "./requests";

const FILES = [
  "/api/v1/appstore/hash",
  "/api/v1/appstore/info",
  "/api/v2/taxonomy",
  "/api/v2/applications",
  "/api/v2/browse/applications",
  "/api/status",
  "/api/openapi.json",
  "/api/manifest",
  "/api/release",
];
const GETS = [
  ...FILES,
  CHART,
  CHART.replace("v1", "v2"),
  "/api/v2/applications/demoone",
  "/api/v2/catalog",
  "/charts/demoone-1.2.0.tgz",
];

describe.each(GETS)("%s", (path) => {
  test("GET and HEAD agree", async () => {
    const [get, head] = [await ask(path), await ask(path, { method: "HEAD" })];
    expect([get.status, head.status]).toEqual([200, 200]);
    expect([...head.headers]).toEqual([...get.headers]);
    expect((await get.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });

  test("OPTIONS is 204 for any origin", async () => {
    const response = await ask(path, { method: "OPTIONS", headers: { Origin: "https://elsewhere.test" } });
    expect(response.status).toBe(204);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    expect(response.headers.get("Access-Control-Allow-Methods")).toBe("GET, HEAD, OPTIONS");
    expectSafe(response);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("%s is 405", async (method) => {
    const response = await ask(path, { method });
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    await expectFailure(response, 405);
  });
});

describe(INFO, () => {
  test("OPTIONS is 204 and lets JSON be posted", async () => {
    const response = await ask(INFO, { method: "OPTIONS" });
    expect(response.status).toBe(204);
    expect(response.headers.get("Allow")).toBe("POST, OPTIONS");
    expect(response.headers.get("Access-Control-Allow-Headers")).toContain("Content-Type");
  });

  test.each(["GET", "PUT", "DELETE"])("%s is 405", async (method) => {
    const response = await ask(INFO, { method });
    expect(response.headers.get("Allow")).toBe("POST, OPTIONS");
    await expectFailure(response, 405);
  });

  test("HEAD is 405 without a body", async () => {
    const response = await ask(INFO, { method: "HEAD" });
    expect(response.status).toBe(405);
    expect(await response.text()).toBe("");
  });
});

const OTHER_SPELLINGS = FILES.flatMap((path) => [
  `${path}/`,
  `/${path}`,
  `//${path}`,
  path.toUpperCase(),
  path.replace("/api", "/Api"),
  path.replace("/api/", "/api//"),
  path.replace("/api", "/%61pi"),
  path.replace("/api", "/%2561pi"),
  path.replace("/api/", "/api%2F"),
  path.replace("/api/", "/%2Fapi/"),
  path.replace("/api/", "/%5Capi/"),
  path.replace("/api/", "/%252e%252e/api/"),
  `${path}%20`,
  `${path}%00`,
  `${path}.html`,
  `${path}/index.html`,
]);
const UNKNOWN = [
  "/api",
  "/api/",
  "/api.json",
  "/api/v1",
  "/api/v1/appstore",
  "/api/v1/appstore/",
  "/api/v1/appstore/nope",
  "/api/v1/applications",
  "/api/v1/applications/demoone",
  "/api/v2/rankings",
  "/api/v2/applications/",
  "/api/v2/applications/nosuch",
  "/api/v2/applications/DemoOne",
  "/api/v2/applications/%64emoone",
  "/api/v2/applications/demoone/",
  "/api/v2/applications/demoone/nope",
  "/api/v2/applications/constructor",
  "/api/v2/browse",
  "/api/v3/catalog",
];

describe("no such API path: 404 as JSON, no redirect", () => {
  test.each([...UNKNOWN, ...OTHER_SPELLINGS])("%s", async (path) => expectFailure(await ask(path), 404));
  test.each(["POST", "OPTIONS", "DELETE"])("%s", async (method) => {
    await expectFailure(await ask("/api/v2/rankings", { method }), 404);
  });
  test("HEAD has no body", async () => {
    const response = await ask("/api/v2/rankings", { method: "HEAD" });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("");
  });
});

test.each<[string, boolean]>([
  ["/api", true],
  ["//API/x", true],
  ["/\\api", true],
  ["/%5c%61%70%69%2f", true],
  ["/%2561pi", true],
  ["/api;x", true],
  ["/api%zz", true],
  ["/apis", false],
  ["/api-guide/", false],
  ["/en/api/", false],
  ["/", false],
  ["/%ff", false],
])("isApiPath(%j) is %j", (path, expected) => expect(isApiPath(path)).toBe(expected));

describe("a page that is not there", () => {
  test.each([
    ["/nope", "Page introuvable"],
    ["/nope/", "Page introuvable"],
    ["/%", "Page introuvable"],
    ["/%ff/x", "Page introuvable"],
    ["/apis", "Page introuvable"],
    ["/404", "Page introuvable"],
    ["/404.html", "Page introuvable"],
    ["/_market/catalog.json", "Page introuvable"],
    ["/_market/details/13.json", "Page introuvable"],
    ["//evil.test/", "Page introuvable"],
    ["/zz/nope", "Page introuvable"],
    ["/en/nope", "Page not found"],
    ["/en/404", "Page not found"],
  ])("%s", async (path, text) => {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.text()).toContain(text);
  });

  test("a condition in the request does not make it 304", async () => {
    const response = await ask("/nope", { headers: { "If-None-Match": "*" } });
    expect(response.status).toBe(404);
  });

  test("HEAD has no body", async () => {
    const response = await ask("/nope", { method: "HEAD" });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("");
  });
});

test("a page whose address needs encoding is still found", async () => {
  const response = await ask("/en/mod%C3%A8le/");
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("Modèle");
});

describe("v2", () => {
  test("an app's detail", async () => {
    const reply = await readJson(await ask("/api/v2/applications/demotwo"), 200);
    expect(reply).toMatchObject({ code: 0, msg: "success", data: { name: "demotwo", version: "0.3.1-rc.1" } });
  });

  test.each<[string, string]>([
    ["", "olares-one-market"],
    ["?source_id=", "olares-one-market"],
    ["?source_id=market.example:8443_x-1", "market.example:8443_x-1"],
    [`?source_id=${"a".repeat(50)}`, "a".repeat(50)],
    [`?source_id=${"a".repeat(51)}`, "olares-one-market"],
    ["?source_id=a%20b", "a b"],
    ["?source_id=https%3A%2F%2Fx.test%2Fp", "https://x.test/p"],
    ["?source_id=%3Cscript%3E", "olares-one-market"],
    ["?source_id=%00", "olares-one-market"],
    ["?source_id=caf%C3%A9", "café"],
    ["?source_id=%22", "olares-one-market"],
    ["?source_id=x%0A", "olares-one-market"],
    ["?SOURCE_ID=x", "olares-one-market"],
    ["?version=1.12.7&source_id=x", "x"],
  ])("the catalog's head for %j names %j", async (query, source) => {
    expect(await readJson(await ask(`/api/v2/catalog${query}`), 200)).toEqual({
      code: 0,
      msg: "success",
      data: {
        schema_version: "v2",
        source_id: source,
        taxonomy_last_modify_time: 1,
        apps_last_modify_time: 2,
        apps_filter_digest: "abc",
      },
    });
  });
});

test.each(["", "?version=", "?version=1.12.6-20260701", "?version=%00%FF", `?version=${"9".repeat(4000)}`])(
  "hash and info whatever the version: %j",
  async (query) => {
    const [hash, info] = await Promise.all(
      FILES.slice(0, 2).map(async (path) => (await ask(path + query)).json() as Promise<Record<string, unknown>>),
    );
    expect(hash?.["hash"]).toMatch(/^[0-9a-f]{32}$/);
    expect(info?.["hash"]).toBe(hash?.["hash"]);
    expect(info?.["version"]).toMatch(/./);
  },
);
