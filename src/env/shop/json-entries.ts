/**
 * Reads a large JSON file entry by entry: the elements of a list, or the members of an object. Only one entry is in
 * memory at a time, so a file of several gigabytes needs no more than its longest row.
 */
import { createReadStream } from "node:fs";
import { EngineError } from "../../base/index.ts";

export interface JsonEntry {
  /** Position from 0. */
  readonly index: number;
  /** The member's name in an object; empty in a list. */
  readonly key: string;
  readonly value: unknown;
}

/** In characters. A product row of the official files is a few thousand. */
const MAX_ENTRY_LENGTH = 64 * 1024 * 1024;

export async function* jsonEntries(path: string): AsyncGenerator<JsonEntry, void, undefined> {
  const splitter = createSplitter(path);
  let index = 0;
  try {
    for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1024 * 1024 })) {
      for (const text of splitter.take(chunk as string)) {
        yield parseEntry(path, index, text, splitter.inObject());
        index += 1;
      }
    }
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw new EngineError("unreadable-file", `Cannot read "${path}": ${(cause as Error).message}`, { cause });
  }
  splitter.end();
}

function parseEntry(path: string, index: number, text: string, inObject: boolean): JsonEntry {
  try {
    const value: unknown = JSON.parse(inObject ? `{${text}}` : text);
    if (!inObject) return { index, key: "", value };
    const [[key, member] = ["", undefined]] = Object.entries(value as object);
    return { index, key, value: member };
  } catch (cause) {
    throw badFile(path, `entry ${index} is not JSON (${(cause as Error).message})`, cause);
  }
}

interface Splitter {
  /** The entries that this chunk completes. */
  take(chunk: string): string[];
  inObject(): boolean;
  /** Complains when the file ended too early. */
  end(): void;
}

/** Cuts at commas of depth 1 outside strings. It checks no more than that; JSON.parse judges each entry. */
function createSplitter(path: string): Splitter {
  let opener = "";
  let depth = 0;
  let inString = false;
  let escaped = false;
  let finished = false;
  let pending = "";
  const open = (character: string): void => {
    if (depth === 0 && opener !== "") throw badFile(path, "there is more text after its end");
    if (depth === 0) opener = character;
    depth += 1;
  };
  const take = (chunk: string): string[] => {
    const entries: string[] = [];
    let start = 0;
    const cut = (at: number): void => {
      const entry = pending + chunk.slice(start, at);
      pending = "";
      start = at + 1;
      if (entry.trim() !== "") entries.push(entry);
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk[at] as string;
      if (inString) {
        if (escaped) escaped = false;
        else if (character === "\\") escaped = true;
        else if (character === '"') inString = false;
      } else if (character === "{" || character === "[") {
        open(character);
        if (depth === 1) start = at + 1;
      } else if (character === "}" || character === "]") {
        depth -= 1;
        if (depth === 0) cut(at);
        finished = depth === 0;
      } else if (depth === 0 && /[^\s\uFEFF]/.test(character)) {
        throw badFile(path, `it begins or ends with ${JSON.stringify(character)}, not with a list or an object`);
      } else if (character === '"') inString = true;
      else if (character === "," && depth === 1) cut(at);
    }
    if (depth > 0) pending += chunk.slice(start);
    if (pending.length > MAX_ENTRY_LENGTH)
      throw badFile(path, `an entry is longer than ${MAX_ENTRY_LENGTH} characters`);
    return entries;
  };
  return {
    take,
    inObject: () => opener === "{",
    end: () => {
      if (!finished) throw badFile(path, opener === "" ? "it is empty" : "it ends in the middle");
    },
  };
}

function badFile(path: string, what: string, cause?: unknown): EngineError {
  return new EngineError("bad-json-file", `"${path}" is not a JSON list or object of rows: ${what}.`, { cause });
}
