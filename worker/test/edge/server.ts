/** Runs the real `wrangler dev` over the fixture for as long as the edge tests need it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly port: number;
  }
}

const ROOT = resolve(import.meta.dirname, "../../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const ENVIRONMENT = {
  ...process.env,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
};
const START_SECONDS = 60;

/** A chart that only the archive holds; its bytes are its name. */
export const ARCHIVED = "demoone-1.0.0.tgz";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "market-edge-"));
  const state = join(folder, "state");
  const dist = makeDist(folder);
  fillArchive(folder, state);
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [WRANGLER, "dev", "--ip=127.0.0.1", `--port=${port}`, "--assets", dist, "--persist-to", state],
    { cwd: ROOT, env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] },
  );
  await ready(server, port);
  project.provide("port", port);
  return async () => {
    // SIGTERM to this process ends its workerd too.
    const exit = once(server, "exit");
    server.kill("SIGTERM");
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
}

function makeDist(folder: string): string {
  const dist = join(folder, "dist");
  cpSync(join(ROOT, "worker/test/fixture"), dist, { recursive: true });
  const headers = readFileSync(join(ROOT, "worker/headers.txt"), "utf8");
  writeFileSync(join(dist, "_headers"), headers.replace("{{script_hashes}}", "'sha256-x'"));
  return dist;
}

function fillArchive(folder: string, state: string): void {
  const file = join(folder, ARCHIVED);
  writeFileSync(file, ARCHIVED);
  execFileSync(
    process.execPath,
    [WRANGLER, "r2", "object", "put", `olares-one-market/charts/${ARCHIVED}`, "--local", "--file", file, "--persist-to", state],
    { cwd: ROOT, env: ENVIRONMENT, stdio: "pipe" },
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

async function ready(server: ChildProcess, port: number): Promise<void> {
  let output = "";
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (data) => (output += String(data)));
  for (let tries = 0; tries < START_SECONDS * 4; tries++) {
    if (server.exitCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${port}/api/status`).catch(() => null);
    if (answer?.ok) return;
    await sleep(250);
  }
  server.kill("SIGTERM");
  throw new Error(`wrangler dev did not start:\n${output}`);
}
