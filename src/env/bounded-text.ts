/** The text of an answer that may come from anywhere: no more of it is read than allowed. */

/** Undefined where it is longer than so many bytes; the rest is not fetched. */
export async function boundedText({ body }: Response, maxBytes: number): Promise<string | undefined> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
