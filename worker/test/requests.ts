/** What the tests send, and what every reply of the Worker must look like. */
import { exports } from "cloudflare:workers";
import { expect } from "vitest";

export const INFO = "/api/v1/applications/info";
export const CHART = "/api/v1/applications/demoone/chart";
/** Two apps of the fixture, in different shards. */
export const ONE = "8d6e212d";
export const TWO = "d2183cd7";

/** Sends a request for `path`, sent as it stands: no dot segment in it may be needed. */
export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(`https://market.test${path}`, { redirect: "manual", ...init });
}

/** POSTs a batch request with this body; an object is sent as JSON. */
export function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const raw = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return ask(INFO, { method: "POST", body: raw, headers: { "Content-Type": "application/json", ...headers } });
}

/** The reply's JSON, once its status and the headers of every JSON reply are as they must be. */
export async function readJson<T = Record<string, unknown>>(response: Response, status: number): Promise<T> {
  expect(response.status).toBe(status);
  expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expectSafe(response);
  const text = await response.text();
  expect(response.headers.get("Content-Length")).toBe(String(new TextEncoder().encode(text).length));
  return JSON.parse(text) as T;
}

/** An error reply: JSON, code 1, a message for the reader. */
export async function expectFailure(response: Response, status: number): Promise<void> {
  expect(await readJson(response, status)).toEqual({ code: 1, msg: expect.stringMatching(/^[ -~]{5,80}$/) });
}

/** The headers that every reply of the Worker carries. */
export function expectSafe(response: Response): void {
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  expect(response.headers.get("Content-Encoding")).toBeNull();
}
