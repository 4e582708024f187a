/** JSON out of a zip archive, as Inspect's logs are: one member at a time, by the directory at the archive's end. */
import { type FileHandle } from "node:fs/promises";
import * as zlib from "node:zlib";
import { EngineError } from "limbeck-base/base/errors";
import { openPlain } from "limbeck-base/base/plain-file";
import { quote, readError } from "../../store/formats/bytes.ts";

/** A member, unpacked; and the directory of all. */
const MOST_BYTES = 256 * 1024 * 1024;
const END_BYTES = 22 + 0xffff;
const [END_SIGN, ENTRY_SIGN] = [0x0605_4b50, 0x0201_4b50];

type Unpack = (bytes: Buffer, most: { readonly maxOutputLength: number }) => Buffer;

/** By the number of the method; Zstandard is part of Node since 22.15. */
const UNPACK: Readonly<Record<number, Unpack | undefined>> = {
  0: (bytes) => bytes,
  8: zlib.inflateRawSync,
  93: (zlib as { readonly zstdDecompressSync?: Unpack }).zstdDecompressSync,
};

interface Member {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly bytes: number;
  readonly at: number;
}

/** The values of the members whose name matches, in the archive's order. */
export async function jsonInZip(path: string, names: RegExp): Promise<unknown[]> {
  const file = await openPlain(path).catch((error: unknown) => {
    throw readError(path, error);
  });
  try {
    const found = (await membersOf(file, path)).filter(({ name }) => names.test(name));
    const values: unknown[] = [];
    for (const member of found) values.push(JSON.parse((await contentOf(file, member, path)).toString("utf8")));
    return values;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw damaged(path, error instanceof Error ? error.message : String(error));
  } finally {
    await file.close();
  }
}

async function membersOf(file: FileHandle, path: string): Promise<Member[]> {
  const { size } = await file.stat();
  const end = await piece(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES));
  let at = end.length - 22;
  while (at >= 0 && end.readUInt32LE(at) !== END_SIGN) at -= 1;
  if (at < 0) throw damaged(path, "it has no directory at its end");
  const length = end.readUInt32LE(at + 12);
  if (length > MOST_BYTES) throw damaged(path, `its directory has ${length} bytes; at most ${MOST_BYTES} are read`);
  const directory = await piece(file, end.readUInt32LE(at + 16), length);
  const members: Member[] = [];
  for (let from = 0; from + 46 <= length && directory.readUInt32LE(from) === ENTRY_SIGN;) {
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(from + field)) as [
      number,
      number,
      number,
    ];
    members.push({
      name: directory.toString("utf8", from + 46, from + 46 + name),
      method: directory.readUInt16LE(from + 10),
      packed: directory.readUInt32LE(from + 20),
      bytes: directory.readUInt32LE(from + 24),
      at: directory.readUInt32LE(from + 42),
    });
    from += 46 + name + extra + comment;
  }
  return members;
}

async function contentOf(file: FileHandle, { name, method, packed, bytes, at }: Member, path: string): Promise<Buffer> {
  if (bytes > MOST_BYTES || packed > MOST_BYTES)
    throw damaged(path, `${quote(name)} in it has ${bytes} bytes; at most ${MOST_BYTES} are read`);
  const unpack = UNPACK[method];
  if (unpack === undefined) {
    const way = method === 93 ? "Zstandard, which Node unpacks from 22.15 on" : `method ${method}`;
    throw damaged(
      path,
      `${quote(name)} in it is packed with ${way}. Export the log as JSON: inspect log convert --to json`,
    );
  }
  const head = await piece(file, at, 30);
  const start = at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  return unpack(await piece(file, start, packed), { maxOutputLength: MOST_BYTES });
}

async function piece(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead < length) throw new Error("it ends too early");
  return bytes;
}

function damaged(path: string, why: string): EngineError {
  return new EngineError("bad-archive", `${quote(path)} cannot be read as an archive: ${why}.`, {
    details: { file: path },
  });
}
