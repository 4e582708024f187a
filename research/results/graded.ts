/**
 * Rewards that are grades, on countdown: groups that teach nothing by pass or fail and by tiers (SSL), and by how far rewards
 * lay apart when a task was last rolled out (SpotAgent).
 */
import { rollout, createRng, type Trajectory } from "limbeck";
import { bootstrap } from "limbeck/eval";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { tierReward } from "../../packages/core/src/credit/ssl.ts";
import { createStrategy } from "limbeck/search";
import { scoreValue } from "limbeck/reward";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";

const [SEEDS, TASKS, SIZE] = [5, 32, 8] as const;
const EDGES = [0.25, 0.5, 0.75, 1] as const;

interface Outcome {
  readonly success: number;
  readonly binary: number;
  readonly tiers: number;
  /** Share of rollouts in groups by tiers that teach nothing, on the same tasks again: a random half, and the half that is chosen. */
  readonly random: number;
  readonly chosen: number;
}

async function measured(level: "easy" | "mixed", seed: number): Promise<Outcome> {
  const envOptions = { level, partialCredit: true };
  const world = { env: "countdown", envOptions, policy: "bundled", tasks: TASKS } as const;
  const place = { ...world, offset: 600_000 + seed * TASKS, seed };
  const spread = createStrategy("curriculum", { by: "spread", size: SIZE, share: 0.5 });
  // Two rollouts of half of the tasks, new ones first, know them all; the third chooses.
  const [one, two] = [await roll("first"), await roll("second")];
  const chosen = await roll("third");
  const { trajectories: again } = await rollout({ ...place, strategyOptions: { size: SIZE }, prefix: "again/" });
  const groups = groupsOf([...one, ...two]);
  // Levels come in turn, so a half is every second pair.
  const half = groupsOf(again).filter((_, at) => (at >> 1) % 2 === seed % 2);
  return {
    success: mean([...one, ...two].map(({ success }) => Number(success === true))),
    binary: stillShare(groups, ({ success }) => Number(success === true)),
    tiers: stillShare(groups, tierOf),
    random: stillShare(half, tierOf),
    chosen: stillShare(groupsOf(chosen), tierOf),
  };

  async function roll(name: string): Promise<readonly Trajectory[]> {
    return (await rollout({ ...place, strategy: spread, prefix: `${name}/` })).trajectories;
  }
}

function groupsOf(trajectories: readonly Trajectory[]): (readonly Trajectory[])[] {
  return [...groupedBy(trajectories, ({ group }) => group).values()];
}

function tierOf({ reward }: Trajectory): number {
  return tierReward(scoreValue(reward) ?? 0, EDGES);
}

function stillShare(groups: readonly (readonly Trajectory[])[], value: (one: Trajectory) => number): number {
  return mean(groups.map((own) => Number(new Set(own.map(value)).size === 1)));
}

async function study(print: (line: string) => void): Promise<void> {
  for (const level of ["easy", "mixed"] as const) await studyLevel(level, print);
}

async function studyLevel(level: "easy" | "mixed", print: (line: string) => void): Promise<void> {
  const rng = createRng("graded");
  const found: Outcome[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) found.push(await measured(level, seed));
  const cell = (value: (one: Outcome) => number, what: string): string =>
    shown(mean(found.map(value)), bootstrap(found.map(value), { rng: rng.split(what) }), 3);
  print(`Level ${level}. Success ${cell(({ success }) => success, "success")}.\n`);
  print("| groups of 8 without an advantage | share | difference, paired by seed |");
  print("| --- | ---: | ---: |");
  print(`| all tasks, pass or fail | ${cell(({ binary }) => binary, "binary")} | |`);
  print(
    `| all tasks, tiers | ${cell((one) => one.tiers, "tiers")} | ${cell((one) => one.tiers - one.binary, "fewer")} |`,
  );
  print(`| any half of the tasks again, tiers | ${cell(({ random }) => random, "random")} | |`);
  print(
    `| the half with the largest spread again, tiers | ${cell((one) => one.chosen, "chosen")} | ${cell((one) => one.chosen - one.random, "saved")} |`,
  );
  print("");
}

export const graded: Study = { name: "graded", title: "Rewards that are grades", run: study };
