/** Draft heads on the disk: one file beside the model that they were trained on. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EngineError, errorCode } from "../../../base/index.ts";
import { replace } from "../checkpoint.ts";
import { isGguf } from "../is-gguf.ts";
import type { ModelConfig } from "../model-config.ts";
import { openSafetensors, writeSafetensors } from "../safetensors.ts";
import { checkFinite, layOut, type Weights } from "../weights.ts";
import { draftHeadShapes } from "./heads-graph.ts";

/** Heads as they are kept. */
export interface DraftHeadsParts {
  /** How wide their inner layer is. */
  readonly inner: number;
  readonly weights: Weights;
}

const FILE = "draft-heads.safetensors";

/** In a folder, or beside a GGUF file. */
export function draftHeadsPath(model: string): string {
  return isGguf(model) ? `${model}.${FILE}` : join(model, FILE);
}

/**
 * Writes draft heads beside a model; `openModel` finds them there with `draft` "heads" or "auto".
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel, trainDraftHeads } from "limbeck/policy/local";
 *
 * const model = await openModel(bundledModel("countdown"));
 * const { heads } = await trainDraftHeads(model, [{ ids: Int32Array.of(1, 2, 3, 4) }], { steps: 1 });
 * const folder = await mkdtemp(join(tmpdir(), "heads-"));
 * await saveDraftHeads(folder, heads);
 * await rm(folder, { recursive: true });
 * await model.close();
 */
export async function saveDraftHeads(model: string, { weights }: DraftHeadsParts): Promise<string> {
  checkFinite(weights, `The draft heads of "${model}" are not written`, "update-not-finite");
  const path = draftHeadsPath(model);
  const tensors = [...weights.places].map(([name, { shape }]) => {
    return { name, shape, data: weights.views[name] as Float32Array, type: "F32" as const };
  });
  await replace(dirname(path), basename(path), (place) => writeSafetensors(place, tensors));
  return path;
}

/** Undefined where there are none. What does not fit the model is refused. */
export async function readDraftHeads(model: string, config: ModelConfig): Promise<DraftHeadsParts | undefined> {
  const path = draftHeadsPath(model);
  const there = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  });
  if (there === undefined) return undefined;
  const file = await openSafetensors(path);
  try {
    const inner = file.tensors.get("draft_heads.up.weight")?.shape[0] ?? 0;
    const shapes = draftHeadShapes(config, inner);
    for (const [name, shape] of shapes) {
      const found = file.tensors.get(name)?.shape;
      if (found?.join(" ") === shape.join(" ")) continue;
      throw new EngineError(
        "bad-weights",
        `"${path}": "${name}" is ${found === undefined ? "missing" : `[${found.join(", ")}]`}; the model needs [${shape.join(", ")}]. Train the heads on this model: limbeck draft-heads.`,
      );
    }
    const weights = layOut(shapes);
    for (const [name] of shapes) await file.readInto(name, weights.views[name] as Float32Array);
    checkFinite(weights, `"${path}"`);
    return { inner, weights };
  } finally {
    await file.close();
  }
}
