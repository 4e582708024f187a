/** A model in one GGUF file, or in several that lie side by side: `NAME-00001-of-00003.gguf` and so on. */
import { EngineError, errorCode } from "../../../base/errors.ts";
import { quoted } from "../quoted.ts";
import { openPart, type GgufFile, type GgufTensor } from "./gguf-file.ts";

const PART = /-(\d{5})-of-(\d{5})\.gguf$/i;
/** Far more than any model has; a broken number must not open files without end. */
const MOST_PARTS = 1_000;

/** Of a model in parts, the first is to be given; the others are opened with it. */
export async function openGguf(path: string): Promise<GgufFile> {
  const first = await openPart(path);
  const count = first.metadata.get("split.count");
  if (typeof count !== "number" || count <= 1) return first;
  const opened = [first];
  try {
    for (const other of otherParts(path, count)) opened.push(await openOther(other, path, count));
    return joined(path, opened);
  } catch (error) {
    await Promise.all(opened.map((part) => part.close()));
    throw error;
  }
}

function otherParts(path: string, count: number): string[] {
  const fail = (why: string): EngineError =>
    new EngineError("bad-gguf", `${path} is one of ${count} parts of a model; ${why}.`);
  const [, number, of] = PART.exec(path) ?? [];
  if (number === undefined || Number(of) !== count || count > MOST_PARTS) {
    throw fail(
      `their names must end in -00001-of-${five(Math.min(count, MOST_PARTS))}.gguf and so on, all in one folder`,
    );
  }
  if (Number(number) !== 1) throw fail(`give the first, ${partPath(path, 1, count)}`);
  return Array.from({ length: count - 1 }, (_, at) => partPath(path, at + 2, count));
}

function five(number: number): string {
  return String(number).padStart(5, "0");
}

function partPath(path: string, number: number, count: number): string {
  return path.replace(PART, `-${five(number)}-of-${five(count)}.gguf`);
}

async function openOther(path: string, first: string, count: number): Promise<GgufFile> {
  try {
    return await openPart(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new EngineError("missing-weights", `${first} has ${count} parts, and ${path} is not there. Fetch it too.`, {
      cause: error,
    });
  }
}

function joined(path: string, parts: readonly GgufFile[]): GgufFile {
  const [first] = parts as readonly [GgufFile];
  const tensors = new Map<string, GgufTensor>();
  const holders = new Map<string, GgufFile>();
  for (const [at, part] of parts.entries()) {
    const number = part.metadata.get("split.no");
    if (number !== at || part.metadata.get("split.count") !== parts.length) {
      throw new EngineError(
        "bad-gguf",
        `${part.path} says that it is part ${Number(number) + 1} of ${Number(part.metadata.get("split.count"))}; by its name it is part ${at + 1} of ${parts.length}. Fetch the parts again.`,
      );
    }
    for (const [name, tensor] of part.tensors) {
      if (tensors.has(name)) {
        throw new EngineError("bad-gguf", `${part.path}: the tensor ${quoted(name)} is in an earlier part too.`);
      }
      tensors.set(name, tensor);
      holders.set(name, part);
    }
  }
  const promised = first.metadata.get("split.tensors.count");
  if (typeof promised === "number" && promised !== tensors.size) {
    throw new EngineError(
      "bad-gguf",
      `${path} promises ${promised} tensors in all its parts; they hold ${tensors.size}. Fetch the parts again.`,
    );
  }
  const holder = (name: string): GgufFile => holders.get(name) ?? first;
  return {
    path,
    metadata: first.metadata,
    tensors,
    readInto: (name, target) => holder(name).readInto(name, target),
    readBlocks: (name, block, into) => holder(name).readBlocks(name, block, into),
    close: async () => void (await Promise.all(parts.map((part) => part.close()))),
  };
}
