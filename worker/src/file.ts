/** Bytes that never change under their address: conditional and partial requests (RFC 9110 §13, §14). */
import { bytes, empty, failure } from "./replies";

/** An immutable file. */
export interface ImmutableFile {
  readonly bytes: Uint8Array;
  /** A strong entity tag, quotes included. */
  readonly etag: string;
  readonly type: string;
}

interface Slice {
  readonly first: number;
  /** The last byte's index, inclusive. */
  readonly last: number;
}

/** Answers GET or HEAD with the whole file, a part of it, or the word that the caller's copy is still right. */
export function serveFile(request: Request, file: ImmutableFile): Response {
  const headers = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "public, max-age=31536000, immutable",
    ETag: file.etag,
  };
  if (isFresh(request.headers.get("If-None-Match"), file.etag)) return empty(304, headers);
  const size = file.bytes.byteLength;
  const slice = wantedSlice(request, file.etag, size);
  if (slice === "unsatisfiable") {
    return failure(416, "the range lies outside the file", { "Content-Range": `bytes */${size}` });
  }
  const typed = { ...headers, "Content-Type": file.type };
  if (slice === null) return bytes(file.bytes, typed);
  const range = { ...typed, "Content-Range": `bytes ${slice.first}-${slice.last}/${size}` };
  return bytes(file.bytes.slice(slice.first, slice.last + 1), range, 206);
}

function isFresh(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

/** The one range to send; null means the whole file, also for ranges that a server may ignore (several, malformed). */
function wantedSlice(request: Request, etag: string, size: number): Slice | "unsatisfiable" | null {
  const range = request.method === "GET" ? request.headers.get("Range") : null;
  const match = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? "");
  const condition = request.headers.get("If-Range");
  if (match === null || (condition !== null && condition !== etag)) return null;
  const [, from = "", to = ""] = match;
  if (from === "") return to === "" ? null : suffix(Number(to), size);
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < first) return null;
  return first >= size ? "unsatisfiable" : { first, last };
}

function suffix(length: number, size: number): Slice | "unsatisfiable" {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { first: Math.max(0, size - length), last: size - 1 };
}
