/** Charts by query and by address: which bytes, from where, whole or in part. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { CHART, ask, expectFailure, expectSafe } from "./requests";

const CURRENT = `${CHART}?fileName=demoone-1.2.0.tgz&version=1.2.0`;
const OLD = `${CHART}?fileName=demoone-1.0.0.tgz&version=1.0.0`;
const oldBytes = new TextEncoder().encode("\u001f the archive's bytes");

beforeAll(async () => {
  for (const version of ["1.0.0", "1.0.0-rc.1+b7", "1.2.0"]) {
    await env.ARCHIVE.put(`charts/demoone-${version}.tgz`, oldBytes);
  }
  // Keys that a sloppy look-up could reach.
  for (const key of ["secret", "charts/secret", "charts/other-1.0.0.tgz", "charts/demoone-latest.tgz"]) {
    await env.ARCHIVE.put(key, "not for anyone");
  }
});

async function body(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

/** The chart's bytes, once the reply is what a device can store. */
async function readChart(response: Response): Promise<Uint8Array> {
  expect(response.status).toBe(200);
  expectSafe(response);
  expect(response.headers.get("Content-Type")).toBe("application/gzip");
  expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
  expect(response.headers.get("Accept-Ranges")).toBe("bytes");
  const bytes = await body(response);
  expect(response.headers.get("Content-Length")).toBe(String(bytes.length));
  return bytes;
}

async function unpack(bytes: Uint8Array): Promise<string> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

describe("the current version", () => {
  test.each([
    ["as a device asks", CURRENT],
    ["v2", CURRENT.replace("v1", "v2")],
    ["no version", `${CHART}?fileName=demoone-1.2.0.tgz`],
    ["empty version", `${CHART}?fileName=demoone-1.2.0.tgz&version=`],
    ["no fileName", CHART],
    ["no fileName, v2", CHART.replace("v1", "v2")],
    ["no fileName, its version", `${CHART}?version=1.2.0`],
    ["more parameters", `${CURRENT}&x=${"y".repeat(2000)}`],
    ["encoded letters", CURRENT.replace("demoone-", "%64emoone-")],
  ])("%s", async (_title, path) => {
    const bytes = await readChart(await ask(path, { headers: { "Accept-Encoding": "gzip" } }));
    expect([bytes[0], bytes[1]]).toEqual([0x1f, 0x8b]);
    expect(await unpack(bytes)).toContain("name: demoone\nversion: 1.2.0");
  });

  test("an asset wins over the archive", async () => {
    expect(await readChart(await ask(CURRENT))).not.toEqual(oldBytes);
  });
});

describe("an older version comes from the archive", () => {
  test.each([
    ["v1", OLD],
    ["v2", OLD.replace("v1", "v2")],
    ["its own address", "/charts/demoone-1.0.0.tgz"],
    ["build metadata", `${CHART}?fileName=demoone-1.0.0-rc.1%2Bb7.tgz&version=1.0.0-rc.1%2Bb7`],
    ["build metadata, its own address", "/charts/demoone-1.0.0-rc.1+b7.tgz"],
    ["build metadata, encoded", "/charts/demoone-1.0.0-rc.1%2Bb7.tgz"],
  ])("%s", async (_title, path) => expect(await readChart(await ask(path))).toEqual(oldBytes));

  test("its tag is R2's own", async () => {
    const stored = await env.ARCHIVE.head("charts/demoone-1.0.0.tgz");
    expect((await ask(OLD)).headers.get("ETag")).toBe(stored?.httpEtag);
  });
});

describe("anything but an exact file name is unknown", () => {
  const file = (name: string): string => `${CHART}?fileName=${name}`;
  test.each([
    ["empty", file("")],
    ["unknown version", file("demoone-9.9.9.tgz")],
    ["unknown app", "/api/v1/applications/nosuch/chart"],
    ["unknown app with file", "/api/v1/applications/nosuch/chart?fileName=nosuch-1.0.0.tgz"],
    ["another app's file", file("demotwo-0.3.1-rc.1.tgz")],
    ["another app's archived file", file("other-1.0.0.tgz")],
    ["no version", file("demoone.tgz")],
    ["no extension", file("demoone-1.2.0")],
    ["other extension", file("demoone-1.2.0.tar.gz")],
    ["no semver", file("demoone-latest.tgz")],
    ["two numbers", file("demoone-1.2.tgz")],
    ["leading zero", file("demoone-01.2.0.tgz")],
    ["v prefix", file("demoone-v1.2.0.tgz")],
    ["17 characters of version", file("demoone-1.2.0-abcdefghijk.tgz")],
    ["upper case", file("DEMOONE-1.2.0.tgz")],
    ["blank behind", file("demoone-1.2.0.tgz%20")],
    ["newline behind", file("demoone-1.2.0.tgz%0A")],
    ["NUL behind", file("demoone-1.2.0.tgz%00")],
    ["NUL inside", file("demoone-1.2.0%00.tgz")],
    ["traversal", file("../secret")],
    ["traversal behind a good prefix", file("demoone-1.0.0/../../secret")],
    ["encoded traversal", file("%2e%2e%2fsecret")],
    ["backslash traversal", file("..%5csecret")],
    ["double encoding", file("%252e%252e%252fsecret")],
    ["double encoded file", file("demoone-1.2.0%252etgz")],
    ["absolute path", file("/charts/demoone-1.2.0.tgz")],
    ["folder", file("charts/demoone-1.2.0.tgz")],
    ["own name", file("secret")],
    ["constructor", file("constructor")],
    ["__proto__", file("__proto__")],
    ["10 kB", file("a".repeat(10_000))],
    ["10 kB of numbers", file(`demoone-1.2.0-${"1.".repeat(5000)}x.tgz`)],
    ["other version", file("demoone-1.2.0.tgz&version=1.0.0")],
    ["garbage version", file("demoone-1.2.0.tgz&version=%00")],
    ["no file name, other version", `${CHART}?version=1.0.0`],
    ["name with encoded slash", "/api/v1/applications/demo%2Fone/chart?fileName=demoone-1.2.0.tgz"],
    ["name with encoded letter", "/api/v1/applications/%64emoone/chart?fileName=demoone-1.2.0.tgz"],
    ["name in capitals", "/api/v1/applications/DemoOne/chart?fileName=demoone-1.2.0.tgz"],
    ["name of 31 letters", `/api/v1/applications/${"a".repeat(31)}/chart`],
    ["prototype name", "/api/v1/applications/constructor/chart"],
    ["extra segment", "/api/v1/applications/x/demoone/chart?fileName=demoone-1.2.0.tgz"],
    ["segment behind", `${CHART}/x?fileName=demoone-1.2.0.tgz`],
    ["no name", "/api/v1/applications//chart?fileName=demoone-1.2.0.tgz"],
    ["trailing slash", `${CHART}/?fileName=demoone-1.2.0.tgz`],
    ["address of no chart", "/charts/secret"],
    ["address with encoded traversal", "/charts/..%2fsecret"],
    ["address with broken encoding", "/charts/%ff%zz"],
  ])("%s", async (_title, path) => expectFailure(await ask(path), 404));
});

describe.each([
  ["asset", CURRENT],
  ["archive", OLD],
])("from the %s", (_source, path) => {
  const range = (value: string, more: Record<string, string> = {}): Promise<Response> =>
    ask(path, { headers: { Range: value, ...more } });

  test("HEAD is GET without the body", async () => {
    const [head, get] = [await ask(path, { method: "HEAD" }), await ask(path)];
    expect(head.status).toBe(200);
    expect([...head.headers]).toEqual([...get.headers]);
    expect(await body(head)).toHaveLength(0);
    expect(Number(head.headers.get("Content-Length"))).toBe((await body(get)).length);
  });

  test.each<[string, (size: number) => [number, number]]>([
    ["bytes=0-3", () => [0, 3]],
    ["bytes=5-", (size) => [5, size - 1]],
    ["bytes=-4", (size) => [size - 4, size - 1]],
    ["bytes=-999999", (size) => [0, size - 1]],
    ["bytes=2-999999999999999999999999", (size) => [2, size - 1]],
  ])("%s is 206", async (value, expected) => {
    const whole = await body(await ask(path));
    const [first, last] = expected(whole.length);
    const response = await range(value);
    expect(response.status).toBe(206);
    expect(response.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/${whole.length}`);
    expect(response.headers.get("Content-Length")).toBe(String(last - first + 1));
    expect(response.headers.get("Content-Type")).toBe("application/gzip");
    expect(await body(response)).toEqual(whole.slice(first, last + 1));
  });

  test.each(["bytes=999999-", "bytes=-0", "bytes=999999-9999999"])("%s is 416", async (value) => {
    const size = (await body(await ask(path))).length;
    const response = await range(value);
    expect(response.headers.get("Content-Range")).toBe(`bytes */${size}`);
    await expectFailure(response, 416);
  });

  test.each(["bytes=0-1,3-4", "bytes=3-1", "bytes=-", "bytes=a-b", "lines=0-1", "", "0-3"])(
    "%j is ignored",
    async (value) => {
      await readChart(await range(value));
    },
  );

  test("If-Range decides whether a range still holds", async () => {
    const etag = (await ask(path)).headers.get("ETag") ?? "";
    expect((await range("bytes=0-3", { "If-Range": etag })).status).toBe(206);
    expect((await range("bytes=0-3", { "If-Range": '"other"' })).status).toBe(200);
    expect((await range("bytes=0-3", { "If-Range": `W/${etag}` })).status).toBe(200);
  });

  test("If-None-Match with the tag is 304", async () => {
    const etag = (await ask(path)).headers.get("ETag") ?? "";
    for (const value of [etag, `W/${etag}`, `"a", ${etag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await ask(path, { method, headers: { "If-None-Match": value, Range: "bytes=0-1" } });
        expect(response.status).toBe(304);
        expect(response.headers.get("ETag")).toBe(etag);
        expect(response.headers.get("Cache-Control")).toContain("immutable");
        expect(await body(response)).toHaveLength(0);
      }
    }
    await readChart(await ask(path, { headers: { "If-None-Match": '"other"' } }));
  });
});
