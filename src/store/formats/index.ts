/** Formats: trajectories in the interchange formats of other programs, streamed in and out. */
import { adp } from "./adp.ts";
import { anthropicChat } from "./anthropic-chat.ts";
import { atif } from "./atif.ts";
import { sniffFormat } from "./detect.ts";
import type { Format } from "./format.ts";
import { openaiChat } from "./openai-chat.ts";
import { otel } from "./otel.ts";
import { parquet } from "./parquet.ts";
import { recorder } from "./recorder.ts";

export const formats = {
  adp,
  "anthropic-chat": anthropicChat,
  atif,
  "openai-chat": openaiChat,
  otel,
  parquet,
  recorder,
} as const satisfies Record<string, Format>;

export type FormatId = keyof typeof formats;

/**
 * The format a file is in, by its name and its beginning; an error that lists the choices when they do not tell.
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
export async function detectFormat(path: string): Promise<Format> {
  return formats[await sniffFormat(path)];
}

export type { Format, ReadOptions, Skip, WriteOptions } from "./format.ts";
