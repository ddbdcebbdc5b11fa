/** What callers see when something beneath the Worker fails: JSON with 503, never a platform error page. */
import { env } from "cloudflare:workers";
import { type MockInstance, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../src/env";
import { route } from "../src/router";
import { CHART, INFO, ONE, expectFailure } from "./requests";

const assets = (fetch: () => Promise<Response>): Env => ({ ...env, ASSETS: { ...env.ASSETS, fetch } });
const archive = (get: () => Promise<unknown>): Env => ({ ...env, ARCHIVE: { get } as unknown as R2Bucket });
const refuse = (): Promise<never> => Promise.reject(new Error("down"));
const unreadable = (): Response => new Response(new ReadableStream({ pull: () => Promise.reject(new Error("cut")) }));

const BROKEN: readonly (readonly [string, Env])[] = [
  ["the assets throw", assets(refuse)],
  ["the assets answer 500", assets(async () => new Response("<html>", { status: 500 }))],
  ["the assets answer 429", assets(async () => new Response("{}", { status: 429 }))],
  ["an asset breaks off", assets(async () => unreadable())],
];
const UNUSABLE: readonly (readonly [string, Env])[] = [
  ["a file is missing", assets(async () => new Response(null, { status: 404 }))],
  ["a file is no JSON", assets(async () => new Response("<html>"))],
  ["a file holds an array", assets(async () => new Response("[]"))],
  ["a file holds null", assets(async () => new Response("null"))],
];
const batch = (): Request =>
  new Request(`https://market.test${INFO}`, { method: "POST", body: JSON.stringify({ app_ids: [ONE] }) });
const get = (path: string): Request => new Request(`https://market.test${path}`);

// Faults are logged for the operator.
let log: MockInstance<typeof console.error>;
beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  expect(log).toHaveBeenCalled();
  log.mockRestore();
});

async function expectUnavailable(request: Request, bindings: Env): Promise<void> {
  const response = await route(request, bindings);
  expect(response.headers.get("Retry-After")).toBe("60");
  await expectFailure(response, 503);
}

describe.each([...BROKEN, ...UNUSABLE])("%s", (_title, bindings) => {
  test("batch", () => expectUnavailable(batch(), bindings));
  test("catalog", () => expectUnavailable(get("/api/v2/catalog"), bindings));
  test("application", () => expectUnavailable(get("/api/v2/applications/demoone"), bindings));
  test("chart without a file name", () => expectUnavailable(get(CHART), bindings));
});

describe.each(BROKEN)("%s", (_title, bindings) => {
  test("chart", () => expectUnavailable(get(`${CHART}?fileName=demoone-1.2.0.tgz`), bindings));
});

test("a catalog without data", async () => {
  await expectUnavailable(get("/api/v2/catalog"), assets(async () => new Response('{"data":[]}')));
});

describe("the archive", () => {
  const old = get(`${CHART}?fileName=demoone-0.9.0.tgz`);
  test("throws", () => expectUnavailable(old, archive(refuse)));
  test("breaks off", () => expectUnavailable(old, archive(async () => unreadable())));
});

describe("the assets throw", () => {
  const bindings = assets(refuse);
  test.each(["/nope", "/en/mod%C3%A8le/", "/api/v1/appstore/hash"])("%s", (path) =>
    expectUnavailable(get(path), bindings),
  );
});

test("something nobody thought of is a JSON 500", async () => {
  const bindings = { ...env, ARCHIVE: undefined as unknown as R2Bucket };
  await expectFailure(await route(get(`${CHART}?fileName=demoone-0.9.0.tgz`), bindings), 500);
});
