/**
 * JSON values of a file, or of the files of a folder, one at a time: JSON lines, one array of values, or one document of
 * which only the elements below a path are wanted. Memory is bounded by the longest value.
 */
import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { quote, readBytes } from "./bytes.ts";
import { filesBelow } from "./detect.ts";
import { attempt, faultAt, skipOrThrow, type FileLine } from "./fault.ts";
import type { ReadOptions } from "./source.ts";
import { parseJson } from "./json-fault.ts";
import { JsonSplitter, JsonStructureError, type JsonPath, type Piece } from "./json-stream.ts";
import { readJsonLines } from "./lines.ts";

/** Longest single value of a document that is not JSON lines, unless `maxLineBytes` says otherwise: 256 MiB. */
const MAX_VALUE_BYTES = 256 * 1024 * 1024;
const SNIFF_BYTES = 1 << 20;
const NAMES = /\.(json|jsonl|ndjson)(\.gz)?$/;

export interface JsonValue extends FileLine {
  readonly value: unknown;
  /** True when the value is a whole line, false when it is an element cut out of a document. */
  readonly whole: boolean;
}

/** `elements`: the path whose elements a document is cut into; an array at the top is always cut into its items. */
export async function* readJsonValues(
  path: string,
  elements: JsonPath,
  options: ReadOptions,
): AsyncGenerator<JsonValue, void, undefined> {
  let done = 0;
  for (const file of await listFiles(path)) {
    let here = 0;
    const onProgress = (bytes: number): void => {
      here = bytes;
      options.onProgress?.(done + bytes);
    };
    yield* readFile(file, elements, { ...options, onProgress });
    done += here;
  }
}

async function* readFile(
  file: string,
  elements: JsonPath,
  options: ReadOptions,
): AsyncGenerator<JsonValue, void, undefined> {
  const shape = await sniff(file, options);
  if (shape === "lines") {
    for await (const { value, line } of readJsonLines(file, options)) yield { file, line, value, whole: true };
    return;
  }
  const below = shape === "array" ? ["*"] : elements;
  const limit = options.maxLineBytes ?? MAX_VALUE_BYTES;
  const splitter = new JsonSplitter(below, limit);
  const whole = shape === "array" || elements.length === 0;
  let first = true;
  try {
    for await (const chunk of readBytes(file, options)) {
      for (const piece of splitter.push(first ? withoutMark(chunk) : chunk)) {
        const value = parsePiece(piece, file, limit, options);
        if (value !== undefined) yield { ...value, whole };
      }
      first = false;
    }
    for (const piece of splitter.end()) {
      const value = parsePiece(piece, file, limit, options);
      if (value !== undefined) yield { ...value, whole };
    }
  } catch (error) {
    if (!(error instanceof JsonStructureError)) throw error;
    // Past a wrong bracket nothing can be trusted, so even a lenient import stops here, with what it has.
    const place = { file, line: error.line };
    const code = error.truncated ? "truncated-file" : "bad-json";
    skipOrThrow(faultAt(place, code, `${error.message} What stood before it is whole.`), place, options);
  }
}

function parsePiece(
  piece: Piece,
  file: string,
  limit: number,
  options: ReadOptions,
): (FileLine & { readonly value: unknown }) | undefined {
  const place = { file, line: piece.line };
  return attempt(place, options, () => {
    if (piece.kind === "too-long") {
      const message = `the value has ${piece.length} bytes; the longest allowed is ${limit}. Raise maxLineBytes.`;
      throw faultAt(place, "line-too-long", message, { bytes: piece.length, limit });
    }
    if (!isUtf8(piece.bytes)) {
      throw faultAt(place, "bad-utf8", "the value is not valid UTF-8. Convert the file to UTF-8.");
    }
    return { ...place, value: parseJson(piece.bytes.toString("utf8"), place) };
  });
}

/** Reads the beginning: a document that goes on after its first line is not JSON lines. */
async function sniff(file: string, options: ReadOptions): Promise<"lines" | "array" | "document"> {
  if (/\.(jsonl|ndjson)(\.gz)?$/.test(file)) return "lines";
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of readBytes(file, options.signal === undefined ? {} : { signal: options.signal })) {
    pieces.push(chunk);
    length += chunk.length;
    if (length >= SNIFF_BYTES) break;
  }
  const bytes = withoutMark(Buffer.concat(pieces));
  const start = bytes.findIndex((byte) => byte > 0x20);
  if (start === -1) return "lines";
  if (bytes[start] === 0x5b) return "array";
  const newline = bytes.indexOf(0x0a, start);
  if (newline === -1) return length < SNIFF_BYTES ? "lines" : "document";
  const splitter = new JsonSplitter([], SNIFF_BYTES);
  try {
    const values = [...splitter.push(bytes.subarray(start, newline))];
    return values.length > 0 ? "lines" : "document";
  } catch {
    // No document from its first letter on: lines.
    return "lines";
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * The file itself, or the JSON files below a folder in the order of their names. Where some are called `trajectory…`,
 * as in the output folder of a benchmark run, the others are configuration and results and are left out.
 */
async function listFiles(path: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of filesBelow(path)) files.push(file);
  if (files.length === 1 && files[0] === path) return files;
  const json = files.filter((file) => NAMES.test(file) && !basename(file).startsWith("."));
  const named = json.filter((file) => basename(file).startsWith("trajectory"));
  const chosen = (named.length > 0 ? named : json).sort();
  if (chosen.length > 0) return chosen;
  throw new EngineError("no-files", `Folder ${quote(path)} holds no file that ends in .json or .jsonl.`, {
    details: { file: path },
  });
}
