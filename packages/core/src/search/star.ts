/** STaR: of sampled episodes, the surest of the answer that its own tokens and the other samples make best. */
import { mean } from "limbeck-base/base/statistics/summary";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { option } from "limbeck-base/base/option";
import { attempt } from "./attempts.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch } from "./search.ts";

export const star = defineSearch({
  info: {
    title: "STaR",
    paper: "STaR: Towards Cognitive Table Reasoning via Slow-Thinking Large Language Models",
    confidence: "code",
    source: "zhjai/STaR @ 5bcf1def; eval-by-trajectory.py: consistency_confidence_fusion",
    formula: [
      "c = exp(mean log-probability of the sampled tokens), of each sample",
      "S(a) = byCount n_a / max n + byMean mean c_a / max mean c + byLargest max c_a / max max c, of each answer a",
      "chosen = the surest sample of the answer with the largest S;   of equals the first",
    ],
    meaning: "Picks among sampled episodes by trajectory uncertainty: token confidence and agreement together.",
    departures: [
      "The published factor 1 - H is left out of c: H is the mean entropy of the 20 most probable tokens at each place, the rest taken as one, and above 1 makes c negative.",
      "Published runs look the sampled token up by its text in a table by token numbers, and where it is not found take the most probable one's log-probability; here it is always the sampled one's.",
      "Published samples are drawn at temperature 0.6 and top-p 0.95. Where no log-probabilities are known the number of samples alone decides.",
      "Two episodes agree when they end in the same state, as the world names states; published answers are lists in a text, compared as they stand.",
      "An episode that the budget cut off or that broke has no answer (one out of steps has: its last state), as published for a text in which none can be read; where no sample has one, the first is taken, and published code passes the question over.",
      "Only the choice at inference; the training that goes with it is not part of a search.",
    ],
  },
  options: {
    samples: option.count(8, "episodes of the policy"),
    byCount: option.number(0.25, "weight of how many samples came to the answer", { least: 0 }),
    byMean: option.number(0.2, "weight of their mean confidence", { least: 0 }),
    byLargest: option.number(0.55, "weight of the largest confidence among them", { least: 0 }),
  },
  create: ({ samples, ...weights }) => ({
    run: async (scope) => {
      const ends = await attempt(scope, samples);
      const answered = ends.filter(({ ending }) => ending !== undefined && ending !== "failed");
      const sure = sureness(answered.map(sampleOf), weights);
      for (const [at, end] of answered.entries()) end.info = { ...end.info, sureness: { ...sure[at] } as never };
      return answered[surest(sure) ?? -1] ?? ends[0];
    },
  }),
});

function sampleOf(end: SearchNode): Sample {
  const line = lineTo(end).filter(({ logprob, said }) => logprob !== undefined && said > 0);
  const tokens = line.reduce((sum, { said }) => sum + said, 0);
  const logprob = line.reduce((sum, node) => sum + (node.logprob ?? 0), 0);
  return {
    answer: end.stateKey,
    confidence: tokens === 0 ? undefined : Math.exp(logprob / tokens),
  };
}

export interface Sample {
  /** Samples of one answer agree. */
  readonly answer: string;
  /** Undefined where the model shows no log-probabilities. */
  readonly confidence: number | undefined;
}

export interface Sureness extends Sample {
  /** Samples with the same answer, itself included. */
  readonly count: number;
  /** Of its answer. */
  readonly score: number;
}

interface Weights {
  readonly byCount: number;
  readonly byMean: number;
  readonly byLargest: number;
}

/** Each part of an answer's score is divided by that of the answer that has most of it. */
export function sureness(samples: readonly Sample[], { byCount, byMean, byLargest }: Weights): Sureness[] {
  const answers = groupedBy(samples, ({ answer }) => answer);
  const parts = [...answers].map(([answer, same]) => {
    const known = same.flatMap(({ confidence }) => confidence ?? []);
    const averaged = known.length === 0 ? 0 : mean(known);
    return { answer, count: same.length, averaged, largest: known.length === 0 ? 0 : Math.max(...known) };
  });
  const [count, averaged, largest] = (["count", "averaged", "largest"] as const).map((name) =>
    shareOfMost(parts.map((part) => part[name])),
  );
  const scores = new Map(
    parts.map((part, at) => {
      const score = byCount * (count?.[at] ?? 0) + byMean * (averaged?.[at] ?? 0) + byLargest * (largest?.[at] ?? 0);
      return [part.answer, { count: part.count, score }];
    }),
  );
  return samples.map((sample) => ({ ...sample, count: 0, score: 0, ...scores.get(sample.answer) }));
}

function shareOfMost(values: readonly number[]): number[] {
  const most = Math.max(...values);
  return values.map((value) => (most === 0 ? 0 : value / most));
}

/** The surest sample of the best answer, by its place; undefined without samples. */
export function surest(sure: readonly Sureness[]): number | undefined {
  const best = firstLargest(sure, ({ score }) => score);
  const places = [...sure.keys()].filter((at) => sure[at]?.answer === best?.answer);
  return firstLargest(places, (at) => sure[at]?.confidence ?? Number.MIN_SAFE_INTEGER);
}
