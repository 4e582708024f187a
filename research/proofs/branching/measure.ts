/** One rollout of one strategy, and what its episodes come to. */
import { rollout, type RolledOut, type LocalModel, type Step, type Trajectory } from "limbeck";
import { mean, sum } from "../../../packages/base/src/base/statistics/summary.ts";
import { createForest, episodeSteps } from "limbeck/reward";
import { formulaKey } from "./formula-key.ts";
import { editDistance, orderedShare, pairsOf, type Ranked } from "./spread.ts";
import type { Arm, World } from "./worlds.ts";

export interface Outcome {
  readonly tokens: number;
  readonly leaves: number;
  readonly success: number;
  /** Means over the tasks: different last actions, different whole episodes, edit distance of two of them. */
  readonly answers: number;
  readonly episodes: number;
  readonly distance: number;
  /** Share of groups whose rewards are all alike. */
  readonly flat: number;
  /** Right formulas that are different functions of their numbers, all tasks together. */
  readonly solutions: number;
  /** Of pairs of a useful and a useless search in one tree: in order by the value of the node. */
  readonly pairs: number;
  readonly ordered: number;
}

export async function measured(
  world: World,
  { strategy, options }: Arm,
  seed: number,
  model: LocalModel,
): Promise<Outcome> {
  const { envOptions, tasks } = world;
  const rolled = await rollout({
    env: world.env ?? world.name,
    envOptions,
    policy: model,
    temperature: 1,
    split: "train",
    offset: seed * tasks,
    tasks,
    strategy,
    strategyOptions: options,
    seed,
  });
  return outcomeOf(rolled);
}

interface Leaf {
  readonly steps: readonly Step[];
  readonly reward: number;
  readonly words: readonly string[];
  readonly right: boolean;
}

function outcomeOf({ trajectories, spent }: RolledOut): Outcome {
  const forest = createForest(trajectories);
  const groups = new Map<string, Leaf[]>();
  for (const { id, group, reward, success } of trajectories) {
    if (reward.kind !== "scored") continue;
    const steps = episodeSteps(forest, id);
    const words = steps.flatMap(({ action }) => action.split(/\s+/));
    const leaf = { steps, reward: reward.value, words, right: success === true };
    groups.set(group, [...(groups.get(group) ?? []), leaf]);
  }
  const all = [...groups.values()];
  const leaves = all.flat();
  const right = leaves.filter((leaf) => leaf.right);
  const distinct = (key: (leaf: Leaf) => string): number => mean(all.map((own) => new Set(own.map(key)).size));
  const distances = all.flatMap((own) => pairsOf(own).map(([one, other]) => editDistance(one.words, other.words)));
  const ranked = orderedShare(searches(trajectories));
  return {
    tokens: spent.sampledTokens,
    leaves: leaves.length,
    success: right.length / leaves.length,
    answers: distinct(({ steps }) => steps.at(-1)?.action ?? ""),
    episodes: distinct(({ words }) => words.join(" ")),
    distance: mean(distances),
    flat: mean(all.map((own) => (new Set(own.map(({ reward }) => reward)).size < 2 ? 1 : 0))),
    solutions: sum(all.map((own) => new Set(own.filter((leaf) => leaf.right).map(solution)).size)),
    ...ranked,
  };
}

function solution({ steps }: Leaf): string {
  return formulaKey(steps.at(-1)?.action ?? "");
}

/**
 * Searches of each tree with the mean reward of the leaves below them. Useful: it brought a passage that the question
 * needs and that the path had not seen yet.
 */
function searches(trajectories: readonly Trajectory[]): Ranked[] {
  const forest = createForest(trajectories);
  const found = new Map<string, { readonly group: string; readonly useful: boolean; readonly rewards: number[] }>();
  for (const { id, group, task, reward } of trajectories) {
    if (reward.kind !== "scored") continue;
    const support = new Set((task.data?.["support"] as readonly string[] | undefined) ?? []);
    const seen = new Set<string>();
    let path = group;
    for (const { action, info } of episodeSteps(forest, id)) {
      path += `\n${action}`;
      const passages = info?.["passages"];
      if (!Array.isArray(passages)) continue;
      const useful = passages.some((one) => support.has(String(one)) && !seen.has(String(one)));
      for (const one of passages) seen.add(String(one));
      const node = found.get(path) ?? { group, useful, rewards: [] };
      node.rewards.push(reward.value);
      found.set(path, node);
    }
  }
  return [...found.values()].map(({ group, useful, rewards }) => ({ group, useful, value: mean(rewards) }));
}
