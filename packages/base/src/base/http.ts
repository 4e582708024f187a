/** What every server and every caller needs of HTTP: bodies of a bounded size, secrets, reasons. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Undefined where it is longer than so many bytes; the rest is not read. */
export async function readBytes(body: AsyncIterable<Uint8Array> | null, most: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The text of an answer that may come from anywhere; undefined where it is longer than so many bytes. */
export async function boundedText({ body }: Response, most: number): Promise<string | undefined> {
  const bytes = await readBytes(body as AsyncIterable<Uint8Array> | null, most);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Compared by hashes of equal length, in constant time. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** Fetch says "fetch failed" and hides why in the cause. */
export function fetchFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
