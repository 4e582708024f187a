/** A language model in this process that samples, scores and learns. */
import type { ProgramOptions } from "../../graph/index.ts";
import type { StatisticName } from "../objective.ts";
import type { Learner, Policy, Scorer } from "../policy.ts";
import { adamGraph } from "./adam.ts";
import { decodeGraph } from "./decode-graph.ts";
import { createLearner, type LearnerCore } from "./learner.ts";
import type { ModelConfig } from "./model-config.ts";
import { createPrograms } from "./programs.ts";
import { createSampler } from "./sampler.ts";
import { scoreRows } from "./scorer.ts";
import { backwardGraph, scoreGraph } from "./statistics-graph.ts";
import type { Weights } from "./weights.ts";

export interface LocalOptions extends ProgramOptions {
  /** Tokens per micro-batch when scoring and learning; 2,048 unless told. */
  readonly budgetTokens?: number;
  /** Conversations per decoding step; 64 unless told. */
  readonly maxRows?: number;
  readonly name?: string;
}

export interface LocalPolicy extends Policy, Scorer, Omit<Learner, "save" | "load"> {
  readonly config: ModelConfig;
  readonly weights: Weights;
  readonly core: LearnerCore;
}

/** Everything but the files: a configuration and weights become a policy. */
export function createLocalPolicy(config: ModelConfig, weights: Weights, options: LocalOptions = {}): LocalPolicy {
  const programs = createPrograms(options);
  let version = 0;
  const hasValue = "value_head.weight" in weights.views;
  const statistics: readonly StatisticName[] = [
    "logprob",
    "candidates",
    "entropy",
    "divergence",
    ...(hasValue ? (["value"] as const) : []),
  ];
  const engine = {
    config,
    weights: weights.views,
    budgetTokens: options.budgetTokens ?? 2_048,
    program: (shape: Parameters<typeof scoreGraph>[1]) =>
      programs.get(`score ${JSON.stringify(shape)}`, () => scoreGraph(config, shape)),
  };
  const core = createLearner({
    ...engine,
    all: weights,
    statistics,
    backwardProgram: (shape) => programs.get(`backward ${JSON.stringify(shape)}`, () => backwardGraph(config, shape)),
    adamProgram: () => programs.get("adam", adamGraph),
  });
  const sampler = createSampler({
    config,
    weights: weights.views,
    version: () => version,
    ...(options.maxRows === undefined ? {} : { maxRows: options.maxRows }),
    program: (shape) => programs.get(`decode ${JSON.stringify(shape)}`, () => decodeGraph(config, shape)),
  });
  return {
    config,
    weights,
    core,
    statistics,
    get ref() {
      return { name: options.name ?? "local", version };
    },
    open: (conversation) => sampler.open(conversation),
    score: (rows, scoreOptions) => scoreRows(engine, rows, scoreOptions),
    backward: (rows, objective, backwardOptions) => core.backward(rows, objective, backwardOptions),
    step: async (stepOptions) => {
      const report = await core.step(stepOptions);
      version += 1;
      return report;
    },
    discard: () => core.discard(),
    close: () => programs.close(),
  };
}
