/** Step-GRPO: groups whose outcomes differ, begun part of the way and whole, on the same tasks. */
import { rollout, createRng, type Trajectory } from "limbeck";
import { bootstrap } from "limbeck/eval";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";

/** Eight whole episodes of a task, and eight that begin after three steps of the expert: groups of the same size. */
const [SEEDS, TASKS, SIZE, STEPS] = [5, 4, 16, 3] as const;

interface Outcome {
  readonly whole: number;
  readonly guided: number;
  readonly wholeSuccess: number;
  readonly guidedSuccess: number;
}

async function measured(seed: number): Promise<Outcome> {
  const { trajectories } = await rollout({
    env: "household",
    envOptions: { dial: "small" },
    policy: "bundled",
    strategy: "guided",
    strategyOptions: { size: SIZE, levels: 2, stride: STEPS },
    tasks: TASKS,
    offset: 500_000 + seed * TASKS,
    seed,
  });
  const part = (guided: boolean): Trajectory[] =>
    trajectories.filter(({ info }) => Number(info?.["guidedSteps"] ?? 0) > 0 === guided);
  const [whole, guided] = [part(false), part(true)];
  const success = (own: readonly Trajectory[]): number => mean(own.map((one) => Number(one.success === true)));
  return {
    whole: differing(whole),
    guided: differing(guided),
    wholeSuccess: success(whole),
    guidedSuccess: success(guided),
  };
}

function differing(trajectories: readonly Trajectory[]): number {
  const groups = [...groupedBy(trajectories, ({ group }) => group).values()];
  return mean(groups.map((own) => Number(new Set(own.map(({ success }) => success)).size > 1)));
}

async function study(print: (line: string) => void): Promise<void> {
  const rng = createRng("guided");
  const found: Outcome[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) found.push(await measured(seed));
  const cell = (value: (one: Outcome) => number, what: string): string =>
    shown(mean(found.map(value)), bootstrap(found.map(value), { rng: rng.split(what) }), 3);
  print("| episodes | groups whose outcomes differ | success |");
  print("| --- | ---: | ---: |");
  print(`| whole | ${cell(({ whole }) => whole, "whole")} | ${cell((one) => one.wholeSuccess, "whole success")} |`);
  print(
    `| after ${STEPS} steps of the expert | ${cell(({ guided }) => guided, "guided")} | ${cell((one) => one.guidedSuccess, "guided success")} |`,
  );
  print(`\nMore groups that differ, paired by seed: ${cell(({ whole, guided }) => guided - whole, "more")}.\n`);
}

export const guided: Study = { name: "guided", title: "Rollout strategies: guided starts", run: study };
