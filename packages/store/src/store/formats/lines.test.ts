import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReadOptions, Skip } from "./source.ts";
import { findJsonFault } from "./json-fault.ts";
import { readJsonLines, readLines } from "./lines.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-lines-"));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function file(content: string | Uint8Array, ending = ".jsonl"): Promise<string> {
  files += 1;
  const path = join(folder, `${files}${ending}`);
  await writeFile(path, content);
  return path;
}
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test("LF, CRLF, a byte order mark, blank lines and a last line without end", async () => {
  const path = await file("\uFEFFone\r\n\n  \t\r\ntwo\nthree");
  expect(await collect(readLines(path))).toEqual([
    { number: 1, text: "one" },
    { number: 4, text: "two" },
    { number: 5, text: "three" },
  ]);
});

test("lines longer than a read chunk come whole, packed or not", async () => {
  const long = "é".repeat(400_000);
  const content = `${long}\nshort\n${long}`;
  const expected = [long, "short", long];
  const plain = await collect(readLines(await file(content)));
  const packed = await collect(readLines(await file(gzipSync(content), ".jsonl.gz")));
  expect(plain.map((line) => line.text)).toEqual(expected);
  expect(packed.map((line) => line.text)).toEqual(expected);
});

test("a line over the limit names file, line, size and limit; lenient passes over it", async () => {
  const path = await file(`{}\n"${"x".repeat(1_000_000)}"\n{"a":1}\n`);
  await expect(collect(readJsonLines(path, { maxLineBytes: 1000 }))).rejects.toMatchObject({
    code: "line-too-long",
    details: { file: path, line: 2, bytes: 1_000_002, limit: 1000 },
  });
  const skips: Skip[] = [];
  const options: ReadOptions = { lenient: true, maxLineBytes: 1000, onSkip: (skip) => skips.push(skip) };
  expect((await collect(readJsonLines(path, options))).map((item) => item.line)).toEqual([1, 3]);
  expect(skips).toMatchObject([{ file: path, line: 2, code: "line-too-long" }]);
});

test("a line of 50 MB is refused by default", async () => {
  const path = await file(Buffer.alloc(50_000_000, "x"));
  await expect(collect(readLines(path))).rejects.toThrow(
    "line 1: the line has 50000000 bytes; the longest allowed is 33554432",
  );
});

test("bytes that are not UTF-8 and text that is not JSON are named by line and column", async () => {
  const path = await file(Buffer.concat([Buffer.from('{"a":1}\n"'), Buffer.from([0xff]), Buffer.from('"\n{"b":,}\n')]));
  await expect(collect(readJsonLines(path))).rejects.toMatchObject({ code: "bad-utf8", details: { line: 2 } });
  const skips: Skip[] = [];
  const read = await collect(readJsonLines(path, { lenient: true, onSkip: (skip) => skips.push(skip) }));
  expect(read).toEqual([{ value: { a: 1 }, line: 1 }]);
  expect(skips.map((skip) => [skip.line, skip.code])).toEqual([
    [2, "bad-utf8"],
    [3, "bad-json"],
  ]);
  expect(skips[1]?.message).toContain("line 3: malformed JSON at column 6; expected a value.");
});

test("missing files, folders, cut gzip and cancellation", async () => {
  await expect(collect(readLines(join(folder, "none.jsonl")))).rejects.toMatchObject({ code: "file-missing" });
  await expect(collect(readLines(folder))).rejects.toMatchObject({ code: "not-a-file" });
  const cut = await file(gzipSync("x".repeat(5000)).subarray(0, 20), ".gz");
  await expect(collect(readLines(cut))).rejects.toMatchObject({ code: "truncated-file" });
  await expect(collect(readLines(await file("no gzip"), {})), "plain is read as it is").resolves.toHaveLength(1);
  await expect(collect(readLines(await file("no gzip", ".gz")))).rejects.toMatchObject({ code: "bad-gzip" });
  const path = await file("1\n2\n");
  await expect(collect(readLines(path, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "cancelled" });
});

test("the fault finder finds a fault exactly where the engine's parser refuses", () => {
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const mutated = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom("", ",", "]", "}", '"', "\\", "0", "-", " ", "\n", "e"))
    .map(([text, at, junk]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + junk + text.slice(place + (at % 2));
    });
  fc.assert(
    fc.property(fc.oneof(mutated, fc.string(), fc.json()), (text) => {
      expect(findJsonFault(text) === undefined).toBe(parses(text));
    }),
    { numRuns: 2000 },
  );
  expect(findJsonFault('{"a":1,}')).toEqual({ at: 7, expected: "a key in double quotes" });
  expect(findJsonFault("[1 2]")).toEqual({ at: 3, expected: '"," or "]"' });
  expect(findJsonFault('"a\\x"')).toEqual({ at: 2, expected: "a known escape" });
  expect(findJsonFault("[".repeat(200_000))).toEqual({ at: 200_000, expected: "a value" });
});
