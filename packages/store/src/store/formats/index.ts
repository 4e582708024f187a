/** Formats: trajectories in the interchange formats of other programs, streamed in and out. */
import { adp } from "./adp.ts";
import { anthropicChat } from "./anthropic-chat.ts";
import { atif } from "./atif.ts";
import { detectSource } from "./detect.ts";
import type { Source } from "./source.ts";
import { openaiChat } from "./openai-chat.ts";
import { otel } from "./otel.ts";
import { parquet } from "./parquet.ts";
import { recorder } from "./recorder.ts";

/** Of two whose signs a file could show, the stricter one stands first: documents and spans may quote chat messages. */
export const formats = {
  parquet,
  recorder,
  atif,
  adp,
  otel,
  "anthropic-chat": anthropicChat,
  "openai-chat": openaiChat,
} as const satisfies Record<string, Source>;

/**
 * The format a file is in, by its name and its beginning; an error that lists the choices when both are unclear.
 *
 * @example
 * import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-formats-"));
 * writeFileSync(join(folder, "chat.jsonl"), '{"messages": [{"role": "user", "content": "Hello"}]}\n');
 * console.log((await detectFormat(join(folder, "chat.jsonl"))).id); // openai-chat
 * rmSync(folder, { recursive: true });
 */
export async function detectFormat(path: string): Promise<Source> {
  return await detectSource(path, Object.values<Source>(formats));
}
