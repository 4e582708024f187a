/** Which source a file or a folder belongs to: by its ending where that decides, by its beginning where it does not. */
import { opendir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { quote, readBytes, readError } from "./bytes.ts";
import { keepsSessions, type SessionSource, type Source } from "./source.ts";

const SNIFF_BYTES = 1 << 16;

/**
 * The first of the sources that knows it, or an error that lists them: the stricter ones stand first, sources of sessions
 * before all others. Of a folder it is a session file, or a file that stands for it.
 */
export async function detectSource<Some extends Source>(path: string, sources: readonly Some[]): Promise<Some> {
  const about = await stat(path).catch((error: unknown) => {
    throw readError(path, error);
  });
  const text = about.isDirectory() ? undefined : await beginningOf(path);
  for (const source of sources) {
    if (keepsSessions(source) && source.sign.test(text ?? (await firstSession(source, path)))) return source;
  }
  const formats = sources.filter((source) => !keepsSessions(source));
  const beginning = text ?? (await sampleOf(path));
  const found =
    formats.find(({ ending }) => ending?.test(path) === true) ?? formats.find(({ sign }) => sign.test(beginning));
  if (found !== undefined) return found;
  const known = sources.map(({ id }) => id).sort();
  throw new EngineError(
    "format-unknown",
    `The format of ${quote(path)} cannot be told from its name or its beginning. Name it: one of ${known.join(", ")}.`,
    { details: { file: path, known } },
  );
}

async function firstSession(source: SessionSource, folder: string): Promise<string> {
  const first = await sessionFiles(source, folder)
    .next()
    // A folder without such files is not of this kind.
    .catch(() => undefined);
  return typeof first?.value === "string" ? await beginningOf(first.value) : "";
}

/** The beginning of a file that stands for its folder: a Parquet file, a trajectory, or the first JSON file. */
async function sampleOf(folder: string): Promise<string> {
  const files: string[] = [];
  for await (const file of filesBelow(folder)) if (!basename(file).startsWith(".")) files.push(file);
  files.sort((one, other) => (basename(one) < basename(other) ? -1 : 1));
  const kinds = [/\.parquet$/, /[/\\]trajectory[^/\\]*\.jsonl?$/, /\.jsonl?(\.gz)?$/];
  const [chosen] = kinds.flatMap((kind) => files.find((file) => kind.test(file)) ?? []);
  return chosen === undefined ? "" : await beginningOf(chosen);
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

/** The file itself, or the source's files below a folder, folder by folder in the order of their names. */
export async function* sessionFiles(
  source: Pick<SessionSource, "title" | "files">,
  path: string,
): AsyncGenerator<string, void, undefined> {
  let found = 0;
  for await (const file of filesBelow(path)) {
    if (file !== path && !source.files.test(relative(path, file).split(sep).join("/"))) continue;
    found += 1;
    yield file;
  }
  if (found > 0) return;
  throw new EngineError("no-files", `Folder ${quote(path)} holds no file of ${source.title}.`, {
    details: { file: path },
  });
}

/** A file itself, or all below a folder. */
export async function* filesBelow(path: string): AsyncGenerator<string, void, undefined> {
  const about = await stat(path).catch((error: unknown) => {
    throw readError(path, error);
  });
  if (!about.isDirectory()) yield path;
  else yield* below(path);
}

async function* below(folder: string): AsyncGenerator<string, void, undefined> {
  const entries = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory()) yield* below(path);
  }
}
