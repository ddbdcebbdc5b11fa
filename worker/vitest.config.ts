import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Two projects: the Worker inside workerd, and wrangler.toml's routing in front of it under the real wrangler. */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { assets: { directory: "worker/test/fixture", binding: "ASSETS" }, cf: false },
          }),
        ],
        test: { name: "worker", include: ["worker/test/*.test.ts"] },
      },
      {
        test: {
          name: "edge",
          include: ["worker/test/edge/*.test.ts"],
          globalSetup: "worker/test/edge/server.ts",
        },
      },
    ],
  },
});
