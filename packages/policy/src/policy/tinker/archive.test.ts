import fc from "fast-check";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readArchive, writeArchive, type ArchiveFile } from "./checkpoint-client.ts";

async function read(bytes: AsyncIterable<Uint8Array>): Promise<[string, number[]][]> {
  const files: [string, number[]][] = [];
  for await (const { name, data } of readArchive(bytes)) files.push([name, [...data]]);
  return files;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** One header of tar, by hand: name, size in octal, kind. */
function entry(name: string, size: number, kind = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(size.toString(8).padStart(11, "0"), 124);
  header.write(kind, 156);
  return header;
}

test("files come out as they went in, whatever their size", async () => {
  const file = fc.record({
    name: fc.stringMatching(/^[a-z_]{1,20}\.json$/),
    data: fc.uint8Array({ maxLength: 1_500 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 4 }), async (files: ArchiveFile[]) => {
      expect(await read(writeArchive(files))).toEqual(files.map(({ name, data }) => [name, [...data]]));
    }),
    { numRuns: 25 },
  );
});

test("folders and notes are passed over, ./ is taken off; what leads out, is cut or is no archive is refused", async () => {
  const data = Buffer.alloc(512, "x");
  const good = Buffer.concat([
    entry("../../../../../src/policy/tinker/", 0, "5"),
    entry("./a.json", 3),
    data,
    Buffer.alloc(1_024),
  ]);
  expect(await read(once(gzipSync(good)))).toEqual([["a.json", [120, 120, 120]]]);
  for (const name of ["../up", "/etc/passwd", "a/b", ".hidden", "a\nb"]) {
    const bad = gzipSync(Buffer.concat([entry(name, 3), data]));
    await expect(read(once(bad))).rejects.toMatchObject({ code: "bad-archive" });
  }
  await expect(read(once(gzipSync(entry("a.json", 3))))).rejects.toThrow("middle of a file");
  await expect(read(once(Buffer.from("not gzip")))).rejects.toThrow("cannot be unpacked");
});

test("a download that breaks off in the middle is an error of whoever reads it, not the end of the process", async () => {
  const whole = gzipSync(Buffer.concat([entry("a.json", 100_000), Buffer.alloc(100_352)]));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield whole.subarray(0, 40);
    throw new Error("terminated");
  }
  await expect(read(broken())).rejects.toThrow("cannot be unpacked");
});
