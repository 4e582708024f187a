/**
 * Agent Q: sibling actions of a search tree, ranked by a mix of what came of them and what a critic thought of them.
 */
import { isObject, type Json } from "limbeck-base/base/json";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { createForest } from "limbeck-base/trajectory/forest";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { crossingsOf, type Way } from "./crossings.ts";
import { definePairSource } from "./pair.ts";
import { stepPair } from "./step-pairs.ts";

/** One action at a node of a tree, from any search. */
export interface Sibling {
  /** Mean return of the simulations that went through it; undefined where there were none. */
  readonly searched: number | undefined;
  /** A critic's value of the action; undefined where no critic was asked. */
  readonly process: number | undefined;
}

/** Q of an action; without a critic that of the search. Undefined where no simulation went through it. */
export function mixedValue({ searched, process }: Sibling, mix: number): number | undefined {
  if (searched === undefined) return undefined;
  return process === undefined ? searched : mix * searched + (1 - mix) * process;
}

export interface Ranked<T> {
  readonly better: T;
  readonly worse: T;
  /** Difference of their values. */
  readonly gap: number;
}

/** Every pair of siblings whose values differ by more than `gap`, the largest difference first. */
export function rankSiblings<T extends Sibling>(
  siblings: readonly T[],
  { mix, gap }: { readonly mix: number; readonly gap: number },
): Ranked<T>[] {
  const valued = siblings
    .flatMap((sibling) => {
      const value = mixedValue(sibling, mix);
      return value === undefined ? [] : [{ sibling, value }];
    })
    .toSorted((left, right) => right.value - left.value);
  return valued
    .flatMap((better, at) =>
      valued.slice(at + 1).flatMap((worse) => {
        const difference = better.value - worse.value;
        return difference > gap ? [{ better: better.sibling, worse: worse.sibling, gap: difference }] : [];
      }),
    )
    .toSorted((left, right) => right.gap - left.gap);
}

export const agentQ = definePairSource({
  info: {
    title: "Search trees (Agent Q)",
    paper: "Agent Q: Advanced Reasoning and Learning for Autonomous AI Agents, arXiv 2408.07199",
    confidence: "paper",
    source:
      "arXiv 2408.07199, section 5.2: Q of search and critique (eq. 10), and pairs of siblings that were both explored",
    formula: [
      "Q = mix Q_search + (1 - mix) Q_critic; Q_search = mean reward of the simulations through the action",
      "siblings whose Q differs by more than gap become a pair; margin = difference",
    ],
    meaning: "Prefers actions of a search tree to their siblings where search and critic together value them more.",
    departures: [
      "Q_search and Q_critic are what a search has stored of its nodes (mean of the backups, critique); in other forests the mean reward of episodes that went that way, and the step's rewards named process.",
      "Without a critic Q is Q_search alone. Where nothing was earned (no success, no partial score) Q is the critic's share alone: of three ranked siblings neighbours then differ by 1/6, more than gap, and all make pairs.",
      "The first action of a continuation that was not among the ranked ones stands beside them with Q_search alone: where all earned nothing it has 0 and they 1/6 to 1/2, where all succeeded 1 and they 2/3 to 1. The paper compares children of a node alone, and all of them are ranked.",
      "An action that several trees or episodes of a task took at one point is one sibling, with the mean weighted by visits and the plain mean of its critiques; the text of the action decides, not the words before it, and a pair shows the first episodes, by name, that had read the same tokens. Continuations that gave values are siblings too.",
      "The paper gives no number for alpha (mix) and the threshold (gap): 0.5 and 0.1 are ours. Its text takes pairs that differ by the threshold too, its algorithm and this entry by more.",
    ],
  },
  level: "step",
  options: {
    mix: option.share(0.5, "weight of the search against the critic"),
    gap: option.number(0.1, "values must differ by more than this", { least: 0 }),
    most: option.limit(null, "pairs of one node", { least: 1, whole: true }),
  },
  find: (trajectories, { mix, gap, most }, forest = createForest(trajectories)) =>
    crossingsOf(trajectories, forest).flatMap(({ task, ways }) =>
      rankSiblings(ways.map(siblingOf), { mix, gap })
        .slice(0, most ?? undefined)
        .flatMap(({ better, worse, gap: margin }) => stepPair(forest, task, better.way, worse.way, margin) ?? []),
    ),
});

/** By what a search has written down of its nodes, else by the outcomes and the rewards that are there. */
function siblingOf(way: Way): Sibling & { readonly way: Way } {
  const nodes = way.takers.flatMap(({ trajectory, step }) => nodeFacts(trajectory, step.index) ?? []);
  const visited = nodes.filter(({ visits }) => visits > 0);
  const visits = visited.reduce((total, one) => total + one.visits, 0);
  const outcomes = way.outcomes.map(({ value }) => value);
  const said = [
    ...nodes.flatMap(({ critique }) => critique ?? []),
    ...way.takers.flatMap(({ trajectory, step }) => processRewards(trajectory, step.index)),
  ];
  return {
    way,
    searched:
      visits > 0
        ? visited.reduce((total, one) => total + one.visits * one.mean, 0) / visits
        : outcomes.length === 0
          ? undefined
          : mean(outcomes),
    process: said.length === 0 ? undefined : mean(said),
  };
}

interface NodeFacts {
  readonly visits: number;
  readonly mean: number;
  readonly critique: number | undefined;
}

/** `info.search.nodes` of a stored tree: one entry for each step. */
function nodeFacts({ info }: Trajectory, step: number): NodeFacts | undefined {
  const search = info?.["search"];
  if (!isObject(search) || !Array.isArray(search["nodes"])) return undefined;
  const node = (search["nodes"] as readonly Json[]).find((one) => isObject(one) && one["step"] === step);
  if (!isObject(node)) return undefined;
  const { visits, mean: value, critique } = node;
  return {
    visits: typeof visits === "number" && typeof value === "number" ? visits : 0,
    mean: typeof value === "number" ? value : 0,
    critique: typeof critique === "number" ? critique : undefined,
  };
}

function processRewards({ rewards }: Trajectory, step: number): number[] {
  return rewards.flatMap(({ name, step: at, score }) =>
    name === "process" && at === step ? (scoreValue(score) ?? []) : [],
  );
}
