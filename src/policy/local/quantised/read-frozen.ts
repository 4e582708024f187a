/** Reads the matrices of a model in few bits. */
import { mapLimit } from "../../../base/concurrency.ts";
import { parameterCount, parameterShapes } from "../model-config.ts";
import type { ModelFolder } from "../model-folder.ts";
import type { Frozen } from "./frozen-parts.ts";
import { createFrozen } from "./frozen.ts";
import { bitsOf, bytesOf, type QuantisedMatrix } from "./matrix.ts";
import type { WeightKind } from "./kinds.ts";

/** A tensor is float32 while it is rounded. */
const AT_ONCE = 2;

/** Embeddings and the output matrix keep eight bits: they are few of the weights, and words hang on them. */
export async function readFrozen(
  folder: ModelFolder,
  kind: Exclude<WeightKind, "float32">,
  say?: (sentence: string) => void,
): Promise<Frozen> {
  const names = [...parameterShapes(folder.config)].flatMap(([name, shape]) => (shape.length === 2 ? [name] : []));
  const matrices = new Map<string, QuantisedMatrix>();
  let exact = 0;
  await mapLimit(names, AT_ONCE, async (name) => {
    const found = await folder.readMatrix(name, name.startsWith("model.layers.") ? bitsOf(kind) : 8);
    matrices.set(name, found.matrix);
    if (found.exact) exact += 1;
  });
  const gigabytes = [...matrices.values()].reduce((sum, matrix) => sum + bytesOf(matrix), 0) / 1e9;
  const how =
    exact === names.length
      ? "as the file has them"
      : exact === 0
        ? "rounded"
        : `${exact} of ${names.length} as the file has them, the others rounded`;
  say?.(
    `Weights: ${kind}, ${how}; ${gigabytes.toFixed(2)} GB in place of ${((parameterCount(folder.config) * 4) / 1e9).toFixed(2)} GB as float32.`,
  );
  return createFrozen(matrices, bitsOf(kind));
}
