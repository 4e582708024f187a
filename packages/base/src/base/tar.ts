/** Files of a tar archive in gzip, one after the other and in pieces: packages of npm and checkpoints of trainers can be large. */
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { EngineError } from "./errors.ts";

export interface PackedEntry {
  /** As the archive has it: it may lead anywhere. */
  readonly path: string;
  /** "note" is a folder, or what a program of tar writes for itself; "other" are links and devices. */
  readonly kind: "file" | "note" | "other";
  readonly bytes: number;
  /** What is not read is passed over. */
  readonly pieces: AsyncIterable<Buffer>;
}

const BLOCK = 512;

/** `damaged` makes the error for an archive that cannot be read. How many entries and bytes are too many only the caller knows. */
export async function* readTar(
  bytes: AsyncIterable<Uint8Array>,
  damaged: (why: string, cause?: unknown) => EngineError,
): AsyncGenerator<PackedEntry> {
  const source = Readable.from(bytes);
  const unpacked = source.pipe(createGunzip());
  // `pipe` does not handle a source that breaks, which would end the process.
  source.once("error", (error) => unpacked.destroy(error));
  const chunks = unpacked[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  /** At most `count` of the bytes that come next; none at the end. */
  const take = async (count: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const next = await chunks.next().catch((cause: unknown) => {
        throw damaged("it cannot be unpacked", cause);
      });
      if (next.done === true) return rest;
      rest = next.value;
    }
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
  async function* piecesOf(part: { left: number }): AsyncGenerator<Buffer> {
    while (part.left > 0) {
      const piece = await take(part.left);
      if (piece.length === 0) throw damaged("it ends in the middle of a file");
      part.left -= piece.length;
      yield piece;
    }
  }
  const wholeOf = async (count: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const piece of piecesOf({ left: count })) parts.push(piece);
    return Buffer.concat(parts);
  };
  try {
    for (;;) {
      const first = await take(BLOCK);
      if (first.length === 0) return;
      const header = Buffer.concat([first, await wholeOf(BLOCK - first.length)]);
      if (header.every((byte) => byte === 0)) return;
      const size = Number.parseInt(textAt(header, 124, 136).trim(), 8);
      if (!Number.isSafeInteger(size) || size < 0) throw damaged("a file has no readable size");
      const part = { left: size };
      const flag = header.toString("latin1", 156, 157);
      const kind = "0\0".includes(flag) ? "file" : "5xg".includes(flag) ? "note" : "other";
      yield { path: pathIn(header), kind, bytes: size, pieces: piecesOf(part) };
      for await (const _ of piecesOf(part));
      await wholeOf((BLOCK - (size % BLOCK)) % BLOCK);
    }
  } finally {
    unpacked.destroy();
    source.destroy();
  }
}

function pathIn(header: Buffer): string {
  const name = textAt(header, 0, 100);
  const before = header.toString("latin1", 257, 263) === "ustar\0" ? textAt(header, 345, 500) : "";
  return before === "" ? name : `${before}/${name}`;
}

function textAt(header: Buffer, from: number, to: number): string {
  return header.toString("utf8", from, to).replace(/\0.*$/s, "");
}
