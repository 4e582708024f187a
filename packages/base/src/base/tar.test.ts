import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { packed } from "../../../../test/support/packed.ts";
import { EngineError } from "./errors.ts";
import { readTar } from "./tar.ts";

const damaged = (why: string, cause?: unknown): EngineError => new EngineError("bad-archive", why, { cause });

/** In small pieces, which end anywhere. */
async function* trickle(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

async function entriesOf(archive: Buffer, read: (path: string) => boolean): Promise<string[]> {
  const seen: string[] = [];
  for await (const { path, kind, bytes, pieces } of readTar(trickle(archive), damaged)) {
    const parts: Buffer[] = [];
    if (read(path)) for await (const piece of pieces) parts.push(piece);
    seen.push(`${kind} ${path} ${bytes} ${Buffer.concat(parts).toString()}`);
  }
  return seen;
}

test("every entry is named with its kind, and what nobody reads is passed over", async () => {
  const files = { "a/": "", "a/b": "b".repeat(600), link: "", note: "x", "a/c": "words" };
  const archive = packed(files, { "a/": "5", link: "2", note: "x" });
  expect(await entriesOf(archive, (path) => path !== "a/b")).toEqual([
    "note a/ 0 ",
    "file a/b 600 ",
    "other link 0 ",
    "note note 1 x",
    "file a/c 5 words",
  ]);
});

test("a long path has its beginning apart", async () => {
  const header = Buffer.alloc(512);
  header.write("model.safetensors");
  header.write("00000000000", 124);
  header.write("0", 156);
  header.write("ustar\x0000", 257, "latin1");
  header.write("package/deep", 345);
  expect(await entriesOf(gzipSync(header), () => true)).toEqual(["file package/deep/model.safetensors 0 "]);
});

test("an archive that is cut, is none, or lies about a size is an error", async () => {
  const archive = packed({ a: "words" });
  const odd = Buffer.alloc(512, "a");
  const failing: readonly [Buffer, string][] = [
    [archive.subarray(0, archive.length - 20), "it cannot be unpacked"],
    [Buffer.from("none"), "it cannot be unpacked"],
    [gzipSync(odd), "a file has no readable size"],
    [gzipSync(odd.subarray(0, 100)), "it ends in the middle of a file"],
  ];
  for (const [bytes, why] of failing) await expect(entriesOf(bytes, () => true)).rejects.toThrow(why);
});
