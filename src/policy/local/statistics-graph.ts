/** The named statistics of given tokens, and the gradients of all parameters for given weights on them. */
import { gradients, input, ops, type Pullback, type Tensor } from "../../graph/index.ts";
import type { StatisticName } from "../objective.ts";
import { headOutput } from "./heads.ts";
import { logitsOf } from "./layers.ts";
import type { ModelConfig } from "./model-config.ts";
import { decoder, type DecoderGraph } from "./transformer.ts";

export interface StatisticsShape {
  readonly rows: number;
  readonly length: number;
  readonly statistics: readonly StatisticName[];
  /** Candidate ids per position, where candidates are asked for. */
  readonly candidates: number;
}

interface StatisticsGraph {
  readonly graph: DecoderGraph;
  readonly head: ReadonlyMap<string, Tensor>;
  readonly outputs: Readonly<Record<string, Tensor>>;
}

/**
 * Every statistic is [rows * length, 1], or [rows * length, candidates], at the place of the token that predicts: the
 * caller shifts by one. Inputs besides ids: "targets", "candidateIds", "teacher" (log-probabilities), as needed.
 */
function statistics(config: ModelConfig, shape: StatisticsShape): StatisticsGraph {
  const graph = decoder(config, shape.rows, shape.length);
  const count = shape.rows * shape.length;
  const head = new Map<string, Tensor>();
  const logits = logitsOf(config, graph.parameters, graph.hidden);
  const logs = ops.logSoftmax(logits, 1);
  const build: Readonly<Record<StatisticName, () => Tensor>> = {
    logprob: () => ops.pickLogprob(logits, input("targets", "int64", [count, 1])),
    candidates: () => ops.pickLogprob(logits, input("candidateIds", "int64", [count, shape.candidates])),
    entropy: () => ops.neg(ops.reduceSum(ops.mul(ops.exp(logs), logs), [1])),
    divergence: () => {
      const teacher = input("teacher", "float32", [count, config.vocabularySize]);
      return ops.reduceSum(ops.mul(ops.exp(teacher), ops.sub(teacher, logs)), [1]);
    },
    value: () => headOutput(config, "value", graph.hidden, head),
    quality: () => headOutput(config, "quality", graph.hidden, head),
  };
  return { graph, head, outputs: Object.fromEntries(shape.statistics.map((name) => [name, build[name]()])) };
}

export function scoreGraph(config: ModelConfig, shape: StatisticsShape): Readonly<Record<string, Tensor>> {
  return statistics(config, shape).outputs;
}

/** Inputs "weight NAME" per statistic; outputs "gradient NAME" per parameter that learns. */
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
  return Object.fromEntries(parameters.map(([name], at) => [`gradient ${name}`, results[at] as Tensor]));
}
