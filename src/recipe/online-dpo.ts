/** Online DPO: the better episodes of each task are preferred to the worse ones, update by update. */
import type { TrainRow } from "../policy/index.ts";
import { objectives } from "../train/index.ts";
import { byGroup, scoreValue, type Trajectory } from "../trajectory/index.ts";
import { defineRecipe } from "./recipe.ts";

export const onlineDpo = defineRecipe({
  info: {
    title: "Online DPO",
    paper: "DPO, arXiv 2305.18290; on the policy's own episodes as in ETO and CSO",
    meaning:
      "Pairs the best episode of a task with the worst, the second best with the second worst, and prefers the better.",
    departures: [
      "Published forms gather pairs first; here the pairs of every update are learned from once.",
      "A side is a whole episode. Episodes that earned the same are not paired.",
    ],
  },
  // Rows come from it; the advantages are not looked at.
  credit: "grpo",
  settings: {
    beta: { kind: "number", default: 0.1, least: 1e-6, meaning: "how hard the policy is held to the reference" },
    labelSmoothing: { kind: "number", default: 0, least: 0, most: 0.5, meaning: "share of pairs taken to be wrong" },
    miniBatches: { kind: "number", default: 1, least: 1, most: 1, whole: true, meaning: "pairs stay together" },
  },
  presets: {},
  update: async (bench, { beta, labelSmoothing }) => {
    const episodes = await bench.collect();
    const { rows } = await bench.credit(episodes);
    const objective = objectives.dpo.create({ beta, labelSmoothing, level: "trajectory" });
    await bench.learn(pairedRows(rows, episodes), { name: "policy", weight: 1, objective, needsReference: true });
  },
});

/** Rows of paired episodes, the better with the larger rank; the others are left out. */
export function pairedRows(rows: readonly TrainRow[], episodes: readonly Trajectory[]): TrainRow[] {
  const trained = new Set(rows.filter(({ mask }) => mask.includes(1)).map(({ trajectory }) => trajectory));
  const places = new Map<string, { readonly pair: string; readonly rank: number }>();
  for (const { id, trajectories } of byGroup(episodes)) {
    const ranked = trajectories
      .flatMap(({ id: own, reward }) => {
        const value = scoreValue(reward);
        return value === undefined || !trained.has(own) ? [] : [{ own, value }];
      })
      .toSorted((left, right) => right.value - left.value);
    for (let at = 0; at < Math.floor(ranked.length / 2); at += 1) {
      const [better, worse] = [ranked[at], ranked.at(-1 - at)];
      if (better === undefined || worse === undefined || better.value <= worse.value) break;
      places.set(better.own, { pair: `${id} ${at}`, rank: 1 });
      places.set(worse.own, { pair: `${id} ${at}`, rank: 0 });
    }
  }
  return rows.flatMap((row) => {
    const place = row.trajectory === undefined ? undefined : places.get(row.trajectory);
    return place === undefined ? [] : [{ ...row, ...place }];
  });
}
