/**
 * Draft heads: one small cell that goes on from the model's last hidden state, word by word, and foretells what the model would
 * say. With the state s and the embedding e of the token sampled after it:
 *
 *   s' = s + W2 silu(W1 [norm(s); norm(e)] + b),   q = softmax(head s')
 *
 * The head is the model's own. The cell is used again for every further word, so it can guess as far as it is asked to.
 */
import { input, scalar, type Tensor } from "../../../graph/tensor.ts";
import { ops } from "../../../graph/build.ts";
import { gradientOutputs } from "../statistics-graph.ts";
import { EMBEDDINGS, headName, type ModelConfig } from "../model-config.ts";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { replace } from "../checkpoint.ts";
import { isGguf } from "../is-gguf.ts";
import { openSafetensors, writeSafetensors } from "../safetensors.ts";
import { checkFinite, layOut, type Weights } from "../weights.ts";

/** What the heads learn by: how far off their distribution is, or the cross-entropy with the model's. */
const HEAD_LOSSES = ["tv", "ce"] as const;

export type HeadLoss = (typeof HEAD_LOSSES)[number];

/** What their inner layer is wider than the model by. */
export const WIDER = 2;

export function draftHeadShapes({ hiddenSize }: ModelConfig, inner = WIDER * hiddenSize): [string, number[]][] {
  return [
    ["draft_heads.up.weight", [inner, 2 * hiddenSize]],
    ["draft_heads.down.weight", [hiddenSize, inner]],
    ["draft_heads.up.bias", [inner]],
    ["draft_heads.state_norm.weight", [hiddenSize]],
    ["draft_heads.word_norm.weight", [hiddenSize]],
  ];
}

type Parameters = ReadonlyMap<string, Tensor>;

function parametersOf(config: ModelConfig, inner: number): Parameters {
  return new Map(draftHeadShapes(config, inner).map(([name, shape]) => [name, input(name, "float32", shape)]));
}

/** The model's embeddings and head, which do not learn here. */
function wordsOf(config: ModelConfig): { readonly embeddings: Tensor; readonly head: Tensor } {
  const shape = [config.vocabularySize, config.hiddenSize];
  const embeddings = input(EMBEDDINGS, "float32", shape);
  return { embeddings, head: config.tiedEmbeddings ? embeddings : input(headName(config), "float32", shape) };
}

/** [rows, hidden] and the embeddings of the tokens after them, to the next states. */
function next({ normEpsilon }: ModelConfig, parameters: Parameters, state: Tensor, words: Tensor): Tensor {
  const [up, down, bias, stateNorm, wordNorm] = [...parameters.values()] as [Tensor, Tensor, Tensor, Tensor, Tensor];
  const both = ops.concat([ops.rmsNorm(state, stateNorm, normEpsilon), ops.rmsNorm(words, wordNorm, normEpsilon)], 1);
  const opened = ops.silu(ops.add(ops.gemm(both, up, { transRight: true }), bias));
  return ops.add(state, ops.gemm(opened, down, { transRight: true }));
}

/**
 * One guess for each row. Inputs besides the parameters: "state" [rows, hidden], "ids" int64 [rows], "sharpness" [rows, 1].
 * Outputs: "next", "logprobs" and, after temperature, "probabilities".
 */
export function guessGraph(config: ModelConfig, rows: number, inner: number): Record<string, Tensor> {
  const { embeddings, head } = wordsOf(config);
  const words = ops.gather(embeddings, input("ids", "int64", [rows]));
  const state = input("state", "float32", [rows, config.hiddenSize]);
  const going = next(config, parametersOf(config, inner), state, words);
  const logits = ops.gemm(going, head, { transRight: true });
  const sharp = ops.mul(logits, input("sharpness", "float32", [rows, 1]));
  return { next: going, logprobs: ops.logSoftmax(logits, 1), probabilities: ops.softmax(sharp, 1) };
}

interface LossShape {
  readonly rows: number;
  /** Words that are guessed after each. */
  readonly depth: number;
  readonly inner: number;
}

/**
 * The loss over `depth` guesses in a row, each after the right words. Inputs: "state" [rows, hidden]; for every guess N "ids.N"
 * int64 [rows], the word before it, "truth.N" [rows, hidden], the model's own state there, and "weight.N" [rows, 1]; "sharpness" [rows, 1].
 * Outputs: "loss" [1], "accepted.N" [rows, 1], the sum of min(p, q) over all words, and "gradient NAME" for each parameter.
 *
 * With a = sum min(p, q), the share of guesses that rejection sampling keeps: tv is the sum over guesses of weight (1 - a_1 a_2 … a_N), the guesses
 * that are refused by their own fault or an earlier one's; ce the sum of weight (- sum p log q).
 */
export function lossGraph(
  config: ModelConfig,
  { rows, depth, inner }: LossShape,
  loss: HeadLoss,
  learns = true,
): Record<string, Tensor> {
  const { embeddings, head } = wordsOf(config);
  const parameters = parametersOf(config, inner);
  const sharpness = input("sharpness", "float32", [rows, 1]);
  const outputs: Record<string, Tensor> = {};
  let state = input("state", "float32", [rows, config.hiddenSize]);
  let total: Tensor = scalar(0, [1]);
  const one = ops.expand(scalar(1), [rows, 1]);
  let reach = one;
  for (let at = 0; at < depth; at += 1) {
    const words = ops.gather(embeddings, input(`ids.${at}`, "int64", [rows]));
    state = next(config, parameters, state, words);
    const truth = input(`truth.${at}`, "float32", [rows, config.hiddenSize]);
    const own = ops.softmax(ops.mul(ops.gemm(truth, head, { transRight: true }), sharpness), 1);
    const logs = ops.logSoftmax(ops.mul(ops.gemm(state, head, { transRight: true }), sharpness), 1);
    const accepted = ops.reduceSum(ops.min(own, ops.exp(logs)), [1]);
    outputs[`accepted.${at}`] = accepted;
    reach = ops.mul(reach, accepted);
    const lost = loss === "tv" ? ops.sub(one, reach) : ops.neg(ops.reduceSum(ops.mul(own, logs), [1]));
    const weighed = ops.mul(lost, input(`weight.${at}`, "float32", [rows, 1]));
    total = ops.add(total, ops.reshape(ops.reduceSum(weighed, [0, 1]), [1]));
  }
  outputs["loss"] = total;
  if (!learns) return outputs;
  return { ...outputs, ...gradientOutputs([{ output: total, weight: scalar(1, [1]) }], [...parameters]) };
}

// Draft heads on the disk: one file beside the model that they were trained on.

/** Heads as they are kept. */
export interface DraftHeadsParts {
  /** How wide their inner layer is. */
  readonly inner: number;
  readonly weights: Weights;
}

const FILE = "draft-heads.safetensors";

/** In a folder, or beside a GGUF file. */
function draftHeadsPath(model: string): string {
  return isGguf(model) ? `${model}.${FILE}` : join(model, FILE);
}

/**
 * Writes draft heads beside a model; `openModel` finds them there with `draft` "heads" or "auto".
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel } from "limbeck/local";
 * import { trainDraftHeads } from "limbeck-policy/policy/local/draft/train-heads";
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
