/**
 * Blocks of Q8_0 and Q4_0 say what a `QuantisedMatrix` says, in another order: they are taken over code by code, and no
 * value is computed on the way.
 */
import { EngineError } from "../../../base/errors.ts";
import { createMatrix, type Bits, type QuantisedMatrix } from "../quantised/matrix.ts";
import { halfAt } from "./block.ts";
import type { GgufFile, GgufTensor } from "./gguf-file.ts";

const WIDTH = 32;
/** Blocks that are read at once. */
const BLOCKS_AT_ONCE = 32_768;

/** Writes the codes of one block whose bytes begin at `from`. */
type Repack = (bytes: Uint8Array, from: number, codes: Uint8Array, block: number) => void;

const REPACK: Readonly<Record<string, { readonly bits: Bits; readonly write: Repack }>> = {
  Q8_0: {
    bits: 8,
    // A signed byte, 128 more.
    write: (bytes, from, codes, block) => {
      for (let at = 0; at < WIDTH; at += 1) codes[block * WIDTH + at] = (bytes[from + 2 + at] as number) ^ 0x80;
    },
  },
  Q4_0: {
    bits: 4,
    // There, a byte holds a code of the first half and one of the second; here, two that stand side by side.
    write: (bytes, from, codes, block) => {
      const to = (block * WIDTH) / 2;
      for (let at = 0; at < 8; at += 1) {
        const [one, other] = [bytes[from + 2 + 2 * at] as number, bytes[from + 3 + 2 * at] as number];
        codes[to + at] = (one & 15) | ((other & 15) << 4);
        codes[to + 8 + at] = (one >> 4) | (other & 0xf0);
      }
    },
  },
};

/** The matrix as it stands in the file; undefined where its type is another one. */
export async function repacked(
  file: GgufFile,
  name: string,
  shape: readonly number[],
  bits: Bits,
): Promise<QuantisedMatrix | undefined> {
  const { block } = file.tensors.get(name) as GgufTensor;
  const rule = REPACK[block.name];
  if (rule?.bits !== bits) return undefined;
  const matrix = createMatrix(name, shape, bits, WIDTH);
  const count = matrix.scales.length;
  const chunk = new Uint8Array(Math.min(count, BLOCKS_AT_ONCE) * block.bytes);
  for (let first = 0; first < count; first += BLOCKS_AT_ONCE) {
    const some = Math.min(BLOCKS_AT_ONCE, count - first);
    const bytes = chunk.subarray(0, some * block.bytes);
    await file.readBlocks(name, first, bytes);
    for (let at = 0; at < some; at += 1) {
      const scale = halfAt(bytes, at * block.bytes);
      if (!Number.isFinite(scale)) {
        const place = (first + at) * WIDTH;
        throw new EngineError(
          "weights-not-finite",
          `${file.path}: "${name}" has the scale ${scale} at place ${place}; every weight must be finite.`,
        );
      }
      matrix.scales[first + at] = scale;
      rule.write(bytes, at * block.bytes, matrix.codes, first + at);
    }
  }
  return matrix;
}
