/** Archives of checkpoints: tar in gzip, read and written here because the form is a page long. */
import { createGunzip, createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { EngineError } from "../../base/index.ts";

export interface ArchiveFile {
  /** A plain name: no folder, nothing hidden. */
  readonly name: string;
  readonly data: Uint8Array;
}

const BLOCK = 512;
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,98}$/;

/** The archive as a stream, file after file. */
export function writeArchive(files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>): Readable {
  return Readable.from(blocksOf(files)).pipe(createGzip());
}

async function* blocksOf(files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, data } of files) {
    yield headerOf(name, data.length);
    yield data;
    yield new Uint8Array((BLOCK - (data.length % BLOCK)) % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}

function headerOf(name: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, "utf8");
  const octal = (value: number, at: number, width: number): void => {
    header.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, width, "latin1");
  };
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.fill(" ", 148, 156);
  header.write("0", 156, 1, "latin1");
  header.write("ustar\x0000", 257, 8, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8, "latin1");
  return header;
}

/**
 * The plain files of an archive, one after the other. Folders and notes of other tools are passed over; a name that leads
 * out of the folder is refused, because the archive is foreign.
 */
export async function* readArchive(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveFile> {
  const source = Readable.from(bytes);
  const unpacked = source.pipe(createGunzip());
  // `pipe` does not handle a source that breaks, which would end the process.
  source.once("error", (error) => unpacked.destroy(error));
  const reader = createReader(unpacked);
  for (;;) {
    const header = await reader(BLOCK);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(header.toString("latin1", 124, 136).replaceAll("\0", "").trim(), 8);
    if (!Number.isSafeInteger(size) || size < 0) throw damaged("a file has no readable size");
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    const data = await reader(padded);
    if (data === undefined) throw damaged("it ends in the middle of a file");
    const kind = header.toString("latin1", 156, 157);
    if (kind !== "0" && kind !== "\0") continue;
    const path = header.toString("utf8", 0, 100).replace(/\0.*$/s, "");
    const name = path.replace(/^(\.\/)+/, "");
    if (!PLAIN_NAME.test(name)) throw damaged(`it holds a file named ${JSON.stringify(name.slice(0, 60))}`);
    yield { name, data: data.subarray(0, size) };
  }
}

function createReader(source: AsyncIterable<Buffer>): (count: number) => Promise<Buffer | undefined> {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return async (count) => {
    const parts = [rest];
    let have = rest.length;
    while (have < count) {
      const next = await chunks.next().catch((cause: unknown) => {
        throw damaged("it cannot be unpacked", cause);
      });
      if (next.done === true) return undefined;
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? rest : Buffer.concat(parts);
    rest = all.subarray(count);
    return all.subarray(0, count);
  };
}

function damaged(why: string, cause?: unknown): EngineError {
  return new EngineError("bad-archive", `The checkpoint's archive cannot be used: ${why}. Download it again.`, {
    cause,
  });
}
