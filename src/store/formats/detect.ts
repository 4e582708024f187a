/** Which format a file is in: by its ending where that decides, by its beginning where it does not. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../base/index.ts";
import { quote, readBytes, readError } from "./bytes.ts";

const SNIFF_BYTES = 1 << 16;
const CHOICES = ["adp", "atif", "openai-chat", "anthropic-chat", "otel", "parquet", "recorder"] as const;
export type KnownFormat = (typeof CHOICES)[number];

/** What the beginning of a file shows, tried in this order; ATIF documents and spans may quote chat messages. */
const SIGNS: readonly (readonly [RegExp, KnownFormat])[] = [
  [/^PAR1/, "parquet"],
  [/^\s*\{"limbeck":"(?:call|end|feedback)"/, "recorder"],
  [/"schema_version"\s*:\s*"ATIF-/, "atif"],
  [/"class_"\s*:\s*"\w+_(?:action|observation)"/, "adp"],
  [/"resourceSpans"\s*:/, "otel"],
  [/"(?:input_schema|tool_use_id)"\s*:|"type"\s*:\s*"(?:tool_use|tool_result|thinking)"/, "anthropic-chat"],
  [/"system"\s*:\s*(?:"|\[).*"messages"\s*:|"messages"\s*:.*"system"\s*:\s*(?:"|\[)/s, "anthropic-chat"],
  [/"messages"\s*:\s*\[/, "openai-chat"],
];

const ENDINGS: readonly (readonly [RegExp, KnownFormat])[] = [
  [/\.parquet$/, "parquet"],
  [/\.adp\.jsonl?(\.gz)?$/, "adp"],
  [/\.atif\.jsonl?(\.gz)?$/, "atif"],
  [/\.otlp\.jsonl?(\.gz)?$/, "otel"],
  [/\.calls\.jsonl(\.gz)?$/, "recorder"],
];

/** The id of the format, or an error that lists the choices. */
export async function sniffFormat(path: string): Promise<KnownFormat> {
  const named = ENDINGS.find(([pattern]) => pattern.test(path))?.[1];
  if (named !== undefined) return named;
  const about = await stat(path).catch((error: unknown) => {
    throw readError(path, error);
  });
  const file = about.isDirectory() ? await sampleOf(path) : path;
  if (file?.endsWith(".parquet") === true) return "parquet";
  const text = file === undefined ? "" : await beginningOf(file);
  const found = SIGNS.find(([pattern]) => pattern.test(text))?.[1];
  if (found !== undefined) return found;
  throw new EngineError(
    "format-unknown",
    `The format of ${quote(path)} cannot be told from its name or its beginning. Name it: one of ${CHOICES.join(", ")}.`,
    { details: { file: path, known: CHOICES } },
  );
}

/** A file that stands for its folder: a Parquet file, a trajectory, or the first JSON file. */
async function sampleOf(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith(".")).sort(byName);
  const chosen =
    files.find((entry) => entry.name.endsWith(".parquet")) ??
    files.find((entry) => /^trajectory.*\.jsonl?$/.test(entry.name)) ??
    files.find((entry) => /\.jsonl?(\.gz)?$/.test(entry.name));
  return chosen === undefined ? undefined : join(chosen.parentPath, chosen.name);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** The first letters of a file. */
export async function beginningOf(file: string): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of readBytes(file)) {
    pieces.push(chunk);
    length += chunk.length;
    if (length >= SNIFF_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, SNIFF_BYTES).toString("utf8");
}
