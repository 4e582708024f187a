/**
 * ProAct in the grid: how much of the variance of advantages state and action do not tell. The same rollouts of the weak start of
 * `grid.ts`, advantages by GRPO's outcomes and by values from random play in copies of the world.
 *
 *     npx tsx research/proofs/grid-variance.ts --seeds 531,532,533,534,535 --jobs 5
 */
import { createRng, type Env, type Episode, type Rng, type Trajectory } from "limbeck";
import { assignCredit, getCredit } from "limbeck/credit";
import { batchFromJson } from "../../packages/core/src/credit/batch-json.ts";
import { episodes } from "../../packages/core/src/credit/examples.ts";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { withFolder, withTinyModel } from "../results/tiny-training.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { openGrid, SETTINGS, tasksOf, writeWeakStart } from "./grid/start.ts";
import { differenceWords } from "./matched.ts";

const TASKS = 40;
const PLAYS = [1, 4, 16] as const;

/** Of all advantages: the variance among those of one state and action, and its share of the whole. */
interface Noise {
  readonly within: number;
  readonly share: number;
}

type Result = Readonly<Record<string, Noise>>;

/** As the credit method has it. */
const GAMMA = 0.9;

/** What a state is worth: the mean of so many random ways on, a later success worth less. */
async function valueOf(world: Episode, rng: Rng, plays: number): Promise<number> {
  let won = 0;
  for (let play = 0; play < plays; play += 1) {
    const copy = await world.fork();
    let moves = 0;
    for (; copy.ending === undefined; moves += 1) {
      const open = copy.admissible() ?? [];
      await copy.step(open[rng.int(open.length)] ?? "");
    }
    won += copy.success === true ? GAMMA ** (moves - 1) : 0;
    await copy.close();
  }
  return won / plays;
}

interface Walked {
  readonly outcome: number;
  readonly steps: readonly { readonly state: string; readonly action: string; readonly reward: number; readonly values: readonly number[] }[]; // prettier-ignore
}

async function walked(env: Env, { id, task, steps, success }: Trajectory): Promise<Walked> {
  const world = await env.open(task);
  const found: Walked["steps"][number][] = [];
  for (const { action, index } of steps) {
    const values: number[] = [];
    for (const plays of PLAYS) values.push(await valueOf(world, createRng(`${id} ${index} ${plays}`), plays));
    const { stateKey: state } = world;
    const { reward } = await world.step(action);
    found.push({ state, action, reward: reward.kind === "scored" ? reward.value : 0, values });
  }
  await world.close();
  return { outcome: Number(success === true), steps: found };
}

/** Advantages of one task's episodes, row by row. */
function advantagesOf(group: readonly Walked[], method: "grpo" | "mc-critic", at: number): number[] {
  const batch = episodes(
    Object.fromEntries(
      group.map(({ outcome, steps }, member) => [
        `e${member}`,
        { outcome, steps: steps.map(({ state, reward, values }) => ({ state, reward, signals: { stateValue: { before: values[at] as number } } })) }, // prettier-ignore
      ]),
    ),
  );
  const options = method === "grpo" ? {} : { gamma: GAMMA };
  return assignCredit(getCredit(method), batchFromJson(batch), options).advantages.map((one) => one[0] as number);
}

function noiseOf(places: readonly string[], advantages: readonly number[]): Noise {
  const centre = mean([...advantages]);
  const squares = (values: readonly number[], from: number): number => values.reduce((sum, value) => sum + (value - from) ** 2, 0); // prettier-ignore
  const within = [...groupedBy(places.keys(), (at) => places[at] as string).values()]
    .map((same) => same.map((at) => advantages[at] as number))
    .reduce((sum, values) => sum + squares(values, mean(values)), 0);
  return { within: within / advantages.length, share: within / squares(advantages, centre) };
}

async function run({ seed, quick, split }: OneRun): Promise<Result> {
  const env = await openGrid(seed, false);
  return await withFolder(async (start) => {
    await writeWeakStart(start, env, seed, quick);
    const tasks = tasksOf(env, split, quick ? 2 : TASKS);
    const repeated = tasks.flatMap((task) => Array.from({ length: SETTINGS.group }, (_, at) => ({ ...task, id: `${task.id}#${at}` }))); // prettier-ignore
    const played = await withTinyModel(start, { settings: SETTINGS }, ({ play }) => play(env, repeated, "variance"));
    const groups = [...groupedBy(played, ({ task }) => task.id.split("#")[0]).values()];
    const all = await Promise.all(groups.map((group) => Promise.all(group.map((one) => walked(env, one)))));
    const places = all.flatMap((group, task) => group.flatMap(({ steps }) => steps.map(({ state, action }) => `${task} ${state} ${action}`))); // prettier-ignore
    const by = (method: "grpo" | "mc-critic", at: number): Noise =>
      noiseOf(
        places,
        all.flatMap((group) => advantagesOf(group, method, at)),
      );
    const valued = PLAYS.map((plays, at) => [`values, ${plays} plays`, by("mc-critic", at)] as const);
    return { grpo: by("grpo", 0), ...Object.fromEntries(valued) };
  });
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const names = Object.keys(results[0]?.result ?? {});
  print("| | seeds | variance at one state and action | share of all variance |");
  print("| --- | ---: | ---: | ---: |");
  for (const name of names) {
    const own = results.map(({ result }) => result[name] as Noise);
    print(`| ${name} | ${own.length} | ${mean(own.map(({ within }) => within)).toFixed(4)} | ${mean(own.map(({ share }) => share)).toFixed(3)} |`); // prettier-ignore
  }
  print();
  for (const name of names.slice(1)) {
    for (const part of ["within", "share"] as const) {
      const paired = results.map(({ result }) => (result[name] as Noise)[part] - (result["grpo"] as Noise)[part]);
      print(`- ${part}, ${name} minus grpo: ${differenceWords(paired)}`);
    }
  }
  print();
}

await runStudy<Result>({ name: "grid-variance", arms: ["variance"], run, report });
