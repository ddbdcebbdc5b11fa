/** Request bodies, read up to a limit. */
import { Failure } from "./failure";

/** Bytes after which an upload that was refused already is no longer read. */
const DRAIN_LIMIT = 16 * 1024 * 1024;

/**
 * Reads the whole body.
 *
 * @param limit bytes
 * @throws Failure 413 beyond the limit
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const announced = request.headers.get("Content-Length");
  // What devices send, of known and small size, is read in one go: a stream takes most of the time of a reply.
  if (announced !== null && Number(announced) <= limit && !request.headers.has("Transfer-Encoding")) {
    const body = new Uint8Array(await request.arrayBuffer());
    if (body.byteLength > limit) throw tooLarge(limit);
    return body;
  }
  const chunks: Uint8Array[] = [];
  let size = Number(announced);
  if (size <= limit) size = await collect(request.body, limit, chunks);
  if (size > limit) throw tooLarge(limit);
  return join(chunks, size);
}

function tooLarge(limit: number): Failure {
  return new Failure(413, `the body is larger than ${limit} bytes`);
}

/**
 * Fills `chunks` up to the limit and returns the size of the body. What lies beyond the limit is read and dropped, as
 * a reply to a half-read upload often does not reach its sender; only what is absurdly large is cut off.
 */
async function collect(body: ReadableStream<Uint8Array> | null, limit: number, chunks: Uint8Array[]): Promise<number> {
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size <= limit) chunks.push(chunk);
    if (size > DRAIN_LIMIT) break;
  }
  return size;
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}
