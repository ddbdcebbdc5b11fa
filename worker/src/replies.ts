/** The replies that the Worker makes itself: their bodies, and the headers that all of them carry. */

const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Accept-Ranges, Content-Range, ETag",
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
} as const;

/** A reply of known length, so that a HEAD request can be told the length too. */
export function bytes(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  status = 200,
): Response {
  return new Response(body, {
    status,
    headers: { ...COMMON, "Content-Length": String(body.byteLength), ...headers },
  });
}

/** A reply without a body (204, 304). */
export function empty(status: 204 | 304, headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { status, headers: { ...COMMON, ...headers } });
}

/** A JSON reply that nobody may keep: what it says changes with the next deployment. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonBytes(new TextEncoder().encode(`${JSON.stringify(value)}\n`), status, headers);
}

/** The same, for JSON that exists as UTF-8 text. */
export function jsonBytes(
  body: Uint8Array,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return bytes(
    body,
    { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", ...headers },
    status,
  );
}

/** The v2 protocol's envelope around `data`. */
export function success(data: unknown): Response {
  return json({ code: 0, msg: "success", data });
}

/** The error reply, the same shape on v1 and v2. */
export function failure(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const retry: Record<string, string> = status === 503 ? { "Retry-After": "60" } : {};
  return json({ code: 1, msg: message }, status, { ...retry, ...headers });
}

/** The answer to OPTIONS: which verbs the path takes, and that any origin may use them. */
export function options(allow: string): Response {
  return empty(204, {
    Allow: allow,
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": "Content-Type, If-None-Match, If-Range, Range",
    "Access-Control-Max-Age": "86400",
  });
}

/** The same reply with its body left out, as HEAD wants it. */
export function withoutBody(response: Response): Response {
  return new Response(null, response);
}
