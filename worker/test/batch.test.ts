/** POST /api/v1/applications/info: whatever a body holds, the answer is a JSON reply below 500. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { route } from "../src/router";
import { INFO, ONE, TWO, expectFailure, post, readJson } from "./requests";

interface Reply {
  readonly apps: Record<string, { readonly id: string; readonly title: string }>;
  readonly not_found: readonly string[];
  readonly version: string;
}

const long = "x".repeat(10_000);
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => n.toString(16).padStart(8, "0"));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Response(text).body!.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function found(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return readJson<Reply>(await post(body, headers), 200);
}

test("details come from their shards, as they were built", async () => {
  const reply = await found({ app_ids: [TWO, ONE], version: "1.12.6" });
  expect(Object.keys(reply.apps).sort()).toEqual([ONE, TWO].sort());
  expect(reply.apps[ONE]).toMatchObject({ id: ONE, name: "demoone", chartName: "demoone-1.2.0.tgz" });
  expect(reply.apps[ONE]?.title).toBe("Démo demoone 🦙 <&>\u2028");
  expect(reply.not_found).toEqual([]);
  expect(reply.version).toBe("1.12.6");
});

describe("a body that says nothing usable is refused", () => {
  test.each([
    ["empty", "", 400],
    ["blank", " \n", 400],
    ["invalid JSON", "{", 400],
    ["trailing garbage", '{"app_ids":[]}x', 400],
    ["NaN", '{"app_ids":NaN}', 400],
    ["null", "null", 400],
    ["array", "[]", 400],
    ["string", '"a"', 400],
    ["number", "1", 400],
    ["true", "true", 400],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), 400],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 400],
    ["deep nesting", "[".repeat(60_000), 400],
    ["app_ids string", { app_ids: ONE }, 400],
    ["app_ids object", { app_ids: { 0: ONE } }, 400],
    ["app_ids number", { app_ids: 3 }, 400],
    ["app_ids boolean", { app_ids: false }, 400],
    ["1001 ids", { app_ids: ids(1001) }, 413],
    ["65537 bytes", `{"app_ids":[]}${" ".repeat(65_537 - 14)}`, 413],
    ["a megabyte", "x".repeat(1_000_000), 413],
  ])("%s", async (_title, body, status) => expectFailure(await post(body), status));

  test("an endless stream", async () => {
    const chunk = new Uint8Array(100_000).fill(0x20);
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const request = new Request(`https://market.test${INFO}`, { method: "POST", body });
    await expectFailure(await route(request, env), 413);
  });
});

describe("ids that name no app are listed once, in the order asked", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["missing app_ids", undefined, []],
    ["null app_ids", null, []],
    ["no ids", [], []],
    ["unknown", ["ffffffff", "00000000"], ["ffffffff", "00000000"]],
    ["upper case", [ONE.toUpperCase()], [ONE.toUpperCase()]],
    ["prototype keys", ["__proto__", "constructor", "toString", "hasOwnProperty"], ["__proto__", "constructor", "toString", "hasOwnProperty"]],
    ["empty string", [""], [""]],
    ["10 kB string", [long], [long]],
    ["a name", ["demoone"], ["demoone"]],
    ["near ids", [`${ONE}\n`, ` ${ONE}`, `${ONE}0`, ONE.slice(1), `../${ONE}`], [`${ONE}\n`, ` ${ONE}`, `${ONE}0`, ONE.slice(1), `../${ONE}`]],
    ["lone surrogate", ["\ud800"], ["\ud800"]],
    ["twice", ["ffffffff", "ffffffff"], ["ffffffff"]],
    ["no strings", [1, 1.5, true, null, [ONE], { id: ONE }], []],
  ])("%s", async (_title, app_ids, expected) => {
    const reply = await found({ app_ids });
    expect(reply.apps).toEqual({});
    expect(reply.not_found).toEqual(expected);
  });
});

test("a known id is given once, beside unknown and unusable ones", async () => {
  const reply = await found({ app_ids: [ONE, 7, "constructor", ONE, null, TWO] });
  expect(Object.keys(reply.apps).sort()).toEqual([ONE, TWO].sort());
  expect(reply.not_found).toEqual(["constructor"]);
});

test("an own __proto__ key in the body changes nothing", async () => {
  const reply = await found(`{"__proto__":{"app_ids":["${ONE}"]}}`);
  expect(reply).toMatchObject({ apps: {}, not_found: [] });
});

test("1000 ids over all shards are served", async () => {
  const asked = [...Array.from({ length: 999 }, (_, n) => (n * 0x1234567).toString(16).padStart(8, "0").slice(-8)), ONE];
  const reply = await found({ app_ids: asked });
  expect(Object.keys(reply.apps)).toEqual([ONE]);
  expect(reply.not_found).toHaveLength(999);
});

test("65536 bytes are served", async () => {
  const body = `{"app_ids":["${ONE}"]}`;
  expect(Object.keys((await found(body + " ".repeat(65_536 - body.length))).apps)).toEqual([ONE]);
});

describe("the content type does not matter", () => {
  test.each(["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "x"])(
    "%j",
    async (type) => {
      expect(Object.keys((await found({ app_ids: [ONE] }, { "Content-Type": type })).apps)).toEqual([ONE]);
    },
  );

  test("a byte order mark is dropped", async () => {
    const body = new Uint8Array([0xef, 0xbb, 0xbf, ...utf8(`{"app_ids":["${ONE}"]}`)]);
    expect(Object.keys((await found(body)).apps)).toEqual([ONE]);
  });
});

describe("a compressed body is refused", () => {
  test.each(["gzip", "GZIP", "br", "deflate", "identity, gzip"])("Content-Encoding: %s", async (encoding) => {
    await expectFailure(await post({ app_ids: [ONE] }, { "Content-Encoding": encoding }), 415);
  });
  test("gzip bytes without a header", async () => {
    await expectFailure(await post(await gzip(`{"app_ids":["${ONE}"]}`)), 415);
  });
  test("identity is no compression", async () => {
    expect(Object.keys((await found({ app_ids: [ONE] }, { "Content-Encoding": "identity" })).apps)).toEqual([ONE]);
  });
});

describe("version is echoed, cleaned and never empty", () => {
  test.each<[unknown, string]>([
    ["1.12.6", "1.12.6"],
    ["1.12.6-20260701", "1.12.6-20260701"],
    ["1.13.0-rc.1", "1.13.0-rc.1"],
    ["x".repeat(5000), "x".repeat(64)],
    ["1.\u0000\r\n12\u{1f999}é", "1.12"],
    [undefined, "1.12.6"],
    [null, "1.12.6"],
    ["", "1.12.6"],
    [" \t ", "1.12.6"],
    [12, "1.12.6"],
    [{}, "1.12.6"],
  ])("%j", async (version, expected) => {
    expect((await found({ app_ids: [], version })).version).toBe(expected);
  });
});
