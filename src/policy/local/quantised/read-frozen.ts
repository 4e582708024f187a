/** Reads the matrices of a model in few bits. */
import { mapLimit } from "../../../base/concurrency.ts";
import { EngineError } from "../../../base/errors.ts";
import { parameterShapes, type ModelConfig } from "../model-config.ts";
import type { ModelFolder } from "../model-folder.ts";
import { createFrozen, type Frozen } from "./frozen.ts";
import { bitsOf, bytesOf, WEIGHT_KINDS, type QuantisedMatrix, type WeightKind } from "./matrix.ts";

/** Below this many parameters float32 is kept: it is exact, and memory is no matter. */
const MANY_PARAMETERS = 250e6;
/** A tensor is float32 while it is rounded. */
const AT_ONCE = 2;

/** What "auto" means for a model. */
export function chosenKind(config: ModelConfig, asked: WeightKind | "auto" = "float32"): WeightKind {
  if (asked === "auto") return parameterCount(config) >= MANY_PARAMETERS ? "int8" : "float32";
  if (WEIGHT_KINDS.includes(asked)) return asked;
  throw new EngineError("bad-option", `The weights are "${String(asked)}"; allowed: auto, ${WEIGHT_KINDS.join(", ")}.`);
}

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

function parameterCount(config: ModelConfig): number {
  return [...parameterShapes(config).values()].reduce(
    (sum, shape) => sum + shape.reduce((product, side) => product * side, 1),
    0,
  );
}
