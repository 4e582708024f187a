/** Public sets: each lies in a folder that a person names, is read where it lies and never copied. */
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { isThere } from "limbeck-base/base/files";
import { parseJson } from "limbeck-base/base/json";
import { plainBytes } from "limbeck-base/base/plain-file";
import { MOST_BYTES, readBounded } from "../suite-file.ts";
import type { SuiteInput } from "../suite.ts";

export interface PublicSet {
  readonly id: string;
  readonly meaning: string;
  /** Where it can be had: a repository, and which files of it. */
  readonly from: string;
  /** Answers are programs that are run. */
  readonly runsCode?: true;
  load(folder: string): Promise<SuiteInput>;
}

/** The first of these that the folder has; the error names them and where they can be had. */
export async function fileOf(folder: string, names: readonly string[], from: string): Promise<string> {
  for (const name of names) if (await isThere(join(folder, name))) return name;
  throw new EngineError("file-missing", `${JSON.stringify(folder)} has no ${names.join(" or ")}; it is from ${from}.`);
}

/** A file of one JSON object a line; a line of another shape is named. */
export async function readRows<Row>(folder: string, name: string, schema: z.ZodType<Row>): Promise<readonly Row[]> {
  const shown = JSON.stringify(name);
  const text = name.endsWith(".gz")
    ? await unpacked(join(folder, name), shown)
    : await readBounded(join(folder, name), shown);
  const rows = text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const parsed = schema.safeParse(parseJson(line));
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    const field = issue?.path.join(".") || "the line";
    throw new EngineError("bad-row", `${shown}, line ${at + 1}: ${field}: ${issue?.message ?? "another shape"}.`);
  });
  if (rows.length > 0) return rows;
  throw new EngineError("bad-row", `${shown} has no lines.`);
}

async function unpacked(path: string, shown: string): Promise<string> {
  try {
    return (await promisify(gunzip)(await plainBytes(path), { maxOutputLength: MOST_BYTES })).toString("utf8");
  } catch (cause) {
    throw new EngineError("bad-gzip", `${shown} cannot be unpacked, or is larger than ${MOST_BYTES} bytes.`, { cause });
  }
}
