/** The page for what is not there, when not even that page is there. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { route } from "../src/router";

test("plain text stands in for a missing 404 page", async () => {
  const fetch = async (): Promise<Response> => new Response(null, { status: 404 });
  const bindings = { ...env, ASSETS: { ...env.ASSETS, fetch } };
  const response = await route(new Request("https://market.test/en/nope"), bindings);
  expect(response.status).toBe(404);
  expect(response.headers.get("Content-Type")).toMatch(/^text\/plain/);
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(await response.text()).toBe("404 Not Found\n");
});
