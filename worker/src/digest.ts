/** MD5, which Olares derives app ids from and R2 makes its entity tags of; nothing here relies on it for safety. */
export async function md5(data: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("MD5", data));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
