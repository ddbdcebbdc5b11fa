/** The market source's Worker: it answers what cannot be a file. */
import type { Env } from "./env";
import { route } from "./router";

export default {
  fetch: (request, env) => route(request, env),
} satisfies ExportedHandler<Env>;
