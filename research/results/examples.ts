/** XRPO: tasks without success after four rollouts that four more solve, with a solved example before them and without. */
import { rollout, createRng, type Trajectory } from "limbeck";
import { bootstrap } from "limbeck/eval";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";

const [SEEDS, TASKS, FIRST, SIZE] = [5, 16, 4, 8] as const;

interface Outcome {
  /** Tasks without success among their first rollouts, which are the same in both arms. */
  readonly hard: number;
  readonly turned: number;
  /** Rollouts that were shown an example. */
  readonly seeded: number;
}

async function measured(examples: 0 | 1, seed: number): Promise<Outcome> {
  const { trajectories } = await rollout({
    env: "household",
    envOptions: { dial: "tiny" },
    policy: "bundled",
    strategy: "allocate",
    strategyOptions: { by: "even", size: SIZE, first: FIRST, examples },
    tasks: TASKS,
    offset: 400_000 + seed * TASKS,
    seed,
  });
  const isFirst = ({ id }: Trajectory): boolean => Number(id.split("/").at(-1)) < FIRST;
  const won = (own: readonly Trajectory[]): boolean => own.some(({ success }) => success === true);
  const hard = [...groupedBy(trajectories, ({ group }: Trajectory) => group).values()].filter(
    (own) => !won(own.filter(isFirst)),
  );
  return {
    hard: hard.length,
    turned: hard.filter(won).length,
    seeded: trajectories.filter(({ info }) => info?.["seeded"] === true).length,
  };
}

async function study(print: (line: string) => void): Promise<void> {
  const rng = createRng("examples");
  const plain: Outcome[] = [];
  const shownOnes: Outcome[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) {
    plain.push(await measured(0, seed));
    shownOnes.push(await measured(1, seed));
  }
  print(
    "| later rollouts | with an example | tasks without success before | of them solved after | more than without |",
  );
  print("| --- | ---: | ---: | ---: | ---: |");
  for (const [name, found] of [
    ["as before", plain],
    ["with a solved example", shownOnes],
  ] as const) {
    const turned = found.map((one) => one.turned);
    const more = turned.map((one, at) => one - (plain[at]?.turned ?? 0));
    const cell = (values: readonly number[], what: string): string =>
      shown(mean(values), bootstrap(values, { rng: rng.split(`${name} ${what}`) }), 2);
    print(
      `| ${name} | ${mean(found.map(({ seeded }) => seeded)).toFixed(1)} | ${mean(found.map(({ hard }) => hard)).toFixed(2)} | ${cell(turned, "turned")} | ${found === plain ? "" : cell(more, "more")} |`, // prettier-ignore
    );
  }
  print("");
}

export const examples: Study = { name: "examples", title: "Rollout strategies: examples for hard tasks", run: study };
