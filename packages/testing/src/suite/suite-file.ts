/** A suite from a file: YAML or JSON, bounded in bytes and depth, and no other kind of file. */
import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { isTooDeep } from "limbeck-base/base/yaml-depth";
import { plainText } from "limbeck-base/base/plain-file";
import { readSuite, type Suite } from "./suite.ts";

export const MOST_BYTES = 64 * 2 ** 20;

export async function readSuiteFile(file: string, cwd = "."): Promise<Suite> {
  const shown = JSON.stringify(file);
  const text = await readBounded(resolve(cwd, file), shown);
  const isJson = text.trimStart().startsWith("{");
  // Before the parser of YAML, which could overflow; what JSON holds is measured afterwards.
  if (!isJson && isTooDeep(text)) throw tooDeep(shown);
  const { parse } = await import("yaml");
  let data: unknown;
  try {
    // JSON is YAML too; aliases can make a small file huge.
    data = isJson ? JSON.parse(text) : parse(text, { maxAliasCount: 0, uniqueKeys: true });
  } catch (cause) {
    const [why = ""] = String(cause).split("\n");
    throw new EngineError("bad-json", `${shown} is neither JSON nor YAML: ${why}.`, { cause });
  }
  if (isDeeper(data, DEEPEST)) throw tooDeep(shown);
  return readSuite(data, shown);
}

const DEEPEST = 50;

/** Level by level, so that no depth can overflow. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; depth < most && level.length > 0; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return level.length > 0;
}

function tooDeep(shown: string): EngineError {
  return new EngineError("too-deep", `${shown} is nested too deeply: at most ${DEEPEST} levels.`);
}

/** The text of a plain file that is not too large; `shown` is how the error calls it. */
export async function readBounded(path: string, shown: string, most = MOST_BYTES): Promise<string> {
  const found = await lstat(path).catch((cause: unknown) => {
    const code = errorCode(cause) === "ENOENT" ? "file-missing" : "file-unreadable";
    throw new EngineError(code, `Cannot read ${shown} (${errorCode(cause) ?? "unknown"}).`, { cause });
  });
  if (!found.isFile())
    throw new EngineError("not-a-file", `${shown} is not a plain file; links, folders and devices are not read.`);
  if (found.size > most) {
    throw new EngineError(
      "file-too-large",
      `${shown} has ${found.size.toLocaleString("en-GB")} bytes; at most ${most.toLocaleString("en-GB")}.`,
    );
  }
  return await plainText(path);
}
