/** The named statistics of given tokens, and the gradients of all parameters for given weights on them. */
import { gradients, input, ops, type Pullback, type Tensor } from "../../graph/index.ts";
import type { StatisticName } from "../objective.ts";
import { forestDecoder } from "./forest-graph.ts";
import { headOutput } from "./heads.ts";
import { headOf, logitsOf } from "./layers.ts";
import type { Layout } from "./layout.ts";
import type { ModelConfig } from "./model-config.ts";
import { decoder, type DecoderGraph } from "./transformer.ts";

export interface StatisticsShape {
  readonly layout: Layout;
  /** Whether prefixes are shorter than the layout's and the input "seen" says where they end. */
  readonly padded: boolean;
  /** Predictions that are asked for. */
  readonly count: number;
  /** Whether they are named by the input "places"; otherwise every place is asked, in order. */
  readonly chosen: boolean;
  readonly statistics: readonly StatisticName[];
  /** Candidate ids per prediction, where candidates are asked for. */
  readonly candidates: number;
  /** Whether the input "sharpness" has one over the temperature for each prediction; otherwise all are 1. */
  readonly tempered: boolean;
  /** How many of the most probable tokens are asked for, if any. */
  readonly top: number;
}

interface StatisticsGraph {
  readonly graph: DecoderGraph;
  readonly head: ReadonlyMap<string, Tensor>;
  readonly outputs: Readonly<Record<string, Tensor>>;
}

/**
 * Every statistic is [count, 1], or [count, candidates]. Inputs besides those of the decoder: "places" int64 [count],
 * "targets" [count, 1], "candidateIds" [count, candidates], "teacher" (log-probabilities) [count, vocabulary], "sharpness" [count, 1], as needed. The
 * most probable tokens are "topLogprobs" and "topIds", [count, top].
 */
function statistics(config: ModelConfig, shape: StatisticsShape): StatisticsGraph {
  const { layout, count } = shape;
  const graph =
    layout.prefix > 0 ? forestDecoder(config, layout, shape.padded) : decoder(config, layout.trees, layout.length);
  const hidden = shape.chosen ? ops.gather(graph.hidden, input("places", "int64", [count])) : graph.hidden;
  const head = new Map<string, Tensor>();
  // Logits are linear in the hidden state, so dividing it divides them.
  const sharp = shape.tempered ? ops.mul(hidden, input("sharpness", "float32", [count, 1])) : hidden;
  const logits = logitsOf(config, graph.parameters, sharp);
  const logs = ops.logSoftmax(logits, 1);
  const build: Readonly<Record<StatisticName, () => Tensor>> = {
    logprob: () => ops.pickLinear(sharp, headOf(config, graph.parameters), input("targets", "int64", [count, 1])),
    candidates: () => ops.pickLogprob(logits, input("candidateIds", "int64", [count, shape.candidates])),
    entropy: () => ops.neg(ops.reduceSum(ops.mul(ops.exp(logs), logs), [1])),
    divergence: () => {
      const teacher = input("teacher", "float32", [count, config.vocabularySize]);
      return ops.reduceSum(ops.mul(ops.exp(teacher), ops.sub(teacher, logs)), [1]);
    },
    value: () => headOutput(config, "value", hidden, head),
    quality: () => headOutput(config, "quality", hidden, head),
  };
  const named: Record<string, Tensor> = Object.fromEntries(shape.statistics.map((name) => [name, build[name]()]));
  if (shape.top > 0) [named["topLogprobs"], named["topIds"]] = ops.topK(logs, shape.top);
  return { graph, head, outputs: named };
}

export function scoreGraph(config: ModelConfig, shape: StatisticsShape): Readonly<Record<string, Tensor>> {
  return statistics(config, shape).outputs;
}

/** Inputs "weight NAME" per statistic; outputs the statistics, and "gradient NAME" per parameter that learns. */
export function backwardGraph(config: ModelConfig, shape: StatisticsShape): Record<string, Tensor> {
  const { graph, head, outputs } = statistics(config, shape);
  const parameters = [...graph.parameters.trained, ...head];
  const pullbacks: Pullback[] = Object.entries(outputs).map(([name, output]) => ({
    output,
    weight: input(`weight ${name}`, "float32", output.shape),
  }));
  const results = gradients(
    pullbacks,
    parameters.map(([, tensor]) => tensor),
  );
  const pulled = parameters.map(([name], at) => [`gradient ${name}`, results[at] as Tensor] as const);
  return { ...outputs, ...Object.fromEntries(pulled) };
}
