/** One file out of a package as npm packs it (tar in gzip), piece by piece: the largest have hundreds of megabytes. */
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { EngineError } from "../../base/index.ts";

const BLOCK = 512;

/** The bytes of the file named `wanted`; an error where the archive holds none or breaks off. */
export async function* packedFile(archive: string, wanted: string): AsyncGenerator<Buffer> {
  const pieces = unpacked(archive);
  let rest: Buffer = Buffer.alloc(0);
  /** At most `count` of the bytes that come next; none at the end. */
  const take = async (count: number): Promise<Buffer> => {
    if (rest.length === 0) rest = (await pieces.next()).value ?? rest;
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
  const block = async (): Promise<Buffer> => {
    let whole: Buffer = Buffer.alloc(0);
    while (whole.length < BLOCK) {
      const next = await take(BLOCK - whole.length);
      if (next.length === 0) throw damaged(archive, `it holds no whole file ${wanted}`);
      whole = whole.length === 0 ? next : Buffer.concat([whole, next]);
    }
    return whole;
  };
  for (;;) {
    const header = await block();
    const name = header.toString("utf8", 0, 100).replace(/\0.*$/s, "");
    const size = Number.parseInt(header.toString("latin1", 124, 136).replaceAll("\0", "").trim(), 8);
    if (name === "" || !Number.isSafeInteger(size) || size < 0) throw damaged(archive, `it holds no file ${wanted}`);
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    for (let done = 0; done < padded;) {
      const piece = await take(padded - done);
      if (piece.length === 0) throw damaged(archive, `it breaks off inside ${name}`);
      if (name === wanted && done < size) yield piece.subarray(0, size - done);
      done += piece.length;
    }
    if (name === wanted) return;
  }
}

async function* unpacked(archive: string): AsyncGenerator<Buffer, undefined> {
  const source = createReadStream(archive);
  const stream = source.pipe(createGunzip());
  // `pipe` leaves a source that breaks to nobody, which would end the process.
  source.once("error", (error) => stream.destroy(error));
  try {
    for await (const piece of stream) yield piece as Buffer;
  } catch (cause) {
    throw damaged(archive, "it cannot be unpacked", cause);
  }
  return undefined;
}

function damaged(archive: string, why: string, cause?: unknown): EngineError {
  return new EngineError("bad-archive", `The package ${archive} cannot be used: ${why}. Fetch it again.`, { cause });
}
