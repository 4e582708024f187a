/**
 * Lines of a text file, in memory bounded by the longest line that is allowed.
 *
 * LF and CRLF, an optional byte order mark, blank lines left out. Each line is checked to be UTF-8, so a broken file is
 * noticed instead of being filled with replacement characters. A line that is too long is counted but never held.
 */
import { isUtf8 } from "node:buffer";
import { readBytes } from "./bytes.ts";
import { attempt, faultAt, skipOrThrow } from "./fault.ts";
import type { ReadOptions } from "./source.ts";
import { parseJson } from "./json-fault.ts";

/** Longest line. Default: 32 MiB. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface Line {
  /** From 1, blank lines counted. */
  readonly number: number;
  readonly text: string;
}

export async function* readLines(path: string, options: ReadOptions = {}): AsyncGenerator<Line, void, undefined> {
  const limit = options.maxLineBytes ?? MAX_LINE_BYTES;
  let number = 1;
  let pieces: Buffer[] = [];
  let length = 0;
  const finish = (): Line | undefined => {
    const line = toLine(path, number, pieces, length, limit, options);
    number += 1;
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of readBytes(path, options)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      length += at - from;
      if (length <= limit) pieces.push(chunk.subarray(from, at));
      const line = finish();
      if (line !== undefined) yield line;
      from = at + 1;
      // Line ends in a row are counted and nothing more: a small packed file may hold hundreds of millions.
      for (; chunk[from] === NEWLINE; from += 1) number += 1;
    }
    length += chunk.length - from;
    if (length <= limit) pieces.push(chunk.subarray(from));
    else pieces = [];
  }
  const last = finish();
  if (last !== undefined) yield last;
}

/** JSON values, one per line, each with its line number. */
export async function* readJsonLines(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<{ readonly value: unknown; readonly line: number }, void, undefined> {
  for await (const { number, text } of readLines(path, options)) {
    const place = { file: path, line: number };
    const parsed = attempt(place, options, () => ({ value: parseJson(text, place), line: number }));
    if (parsed !== undefined) yield parsed;
  }
}

function toLine(
  path: string,
  number: number,
  pieces: readonly Buffer[],
  length: number,
  limit: number,
  options: ReadOptions,
): Line | undefined {
  const place = { file: path, line: number };
  if (length > limit) {
    const message = `the line has ${length} bytes; the longest allowed is ${limit}. Raise maxLineBytes, or split the file.`;
    skipOrThrow(faultAt(place, "line-too-long", message, { bytes: length, limit }), place, options);
    return undefined;
  }
  const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  if (!isUtf8(bytes)) {
    const message = "the line is not valid UTF-8. Convert the file to UTF-8, or import leniently to skip it.";
    skipOrThrow(faultAt(place, "bad-utf8", message), place, options);
    return undefined;
  }
  let text = bytes.toString("utf8");
  if (number === 1 && text.startsWith("\uFEFF")) text = text.slice(1);
  if (text.endsWith("\r")) text = text.slice(0, -1);
  return text.trim() === "" ? undefined : { number, text };
}
