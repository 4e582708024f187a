/**
 * Tasks by the spread of their rewards (SpotAgent's filter) in emit, where half of the fields may be right and nothing was made to be out
 * of reach: how many rollouts fall into groups of equal rewards, among the tasks that `curriculum` with `by=spread` chooses and
 * among all. No model learns; it is about what would be wasted.
 *
 *     npx tsx research/proofs/spread-tasks.ts --jobs 2
 */
import { createRng, openEnv, rollout, type Trajectory } from "limbeck";
import { createStrategy } from "limbeck/search";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { scoreValue } from "../../packages/base/src/trajectory/score.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { bundledStart } from "../../packages/policy/src/policy/starts.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const ENV = "emit";
const [TASKS, SIZE] = [64, 8] as const;

/** Shares of groups with equal rewards. */
interface Result {
  /** Of the half that is chosen. */
  readonly chosen: number;
  /** Of all tasks, which is what a half by lot has on average. */
  readonly all: number;
  /** Of the half whose success was nearest to one half when it was known, ties by lot: difficulty without a grade. */
  readonly mixed: number;
  readonly success: number;
}

async function run({ seed, quick }: OneRun): Promise<Result> {
  const count = quick ? 4 : TASKS;
  const envOptions = bundledStart(ENV)?.worldOptions ?? {};
  const env = await openEnv(ENV, envOptions);
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { offset: seed * TASKS, count })) tasks.push(task);
  const spread = createStrategy("curriculum", { by: "spread", size: SIZE, share: 0.5 });
  const place = { env, policy: "bundled", temperature: 1 } as const;
  const roll = async (pass: number, more: object): Promise<readonly Trajectory[]> =>
    (await rollout({ ...place, ...more, seed: createRng(`${seed} ${pass}`).int(2 ** 31), prefix: `${pass}/` }))
      .trajectories;
  // New tasks come first, so that two rollouts of a half know them all; the third chooses.
  const known = [...(await roll(1, { tasks, strategy: spread })), ...(await roll(2, { tasks, strategy: spread }))];
  const chosen = await roll(3, { tasks, strategy: spread });
  const isChosen = new Set(chosen.map(({ task }) => task.id));
  const left = await roll(4, { tasks: tasks.filter(({ id }) => !isChosen.has(id)), strategyOptions: { size: SIZE } });
  const stillById = new Map([...groupsOf(chosen), ...groupsOf(left)].map(([id, group]) => [id, isStill(group)]));
  const rates = [...groupsOf(known)].map(([id, group]) => ({ id, away: Math.abs(mean(group.map(solved)) - 0.5) }));
  const rng = createRng(`${seed} ties`);
  const middle = rates
    .map((one) => ({ ...one, lot: rng.float() }))
    .toSorted((one, other) => one.away - other.away || one.lot - other.lot)
    .slice(0, count / 2);
  return {
    chosen: mean([...groupsOf(chosen).values()].map(isStill)),
    all: mean([...stillById.values()]),
    mixed: mean(middle.map(({ id }) => stillById.get(id) as number)),
    success: mean(known.map(solved)),
  };
}

const solved = ({ success }: Trajectory): number => Number(success === true);

const groupsOf = (played: readonly Trajectory[]): ReadonlyMap<string, readonly Trajectory[]> =>
  groupedBy(played, ({ task }) => task.id);

const isStill = (group: readonly Trajectory[]): number =>
  Number(new Set(group.map(({ reward }) => scoreValue(reward))).size === 1);

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const own = results.map(({ result }) => result);
  const cell = (of: (one: Result) => number): string => mean(own.map(of)).toFixed(3);
  print(`Success ${cell(({ success }) => success)}.`);
  print();
  print("| tasks | groups of equal rewards | chosen less this |");
  print("| --- | ---: | ---: |");
  print(`| the half with the largest spread | ${cell(({ chosen }) => chosen)} | |`);
  for (const [name, of] of [
    ["all of them, or a half by lot", (one: Result) => one.all],
    ["the half nearest to an even chance of success", (one: Result) => one.mixed],
  ] as const)
    print(`| ${name} | ${cell(of)} | ${differenceWords(own.map((one) => one.chosen - of(one)))} |`);
}

await runStudy<Result>({ name: "spread-tasks", arms: [ENV], run, report });
