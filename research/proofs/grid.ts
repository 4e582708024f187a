/**
 * SSL and ProAct in the grid, where distance is progress: tiers beside pass or fail, and values from random play in copies of
 * the world beside groups. All arms of a seed begin with the same weak model and take equally many steps of their own.
 *
 *     npx tsx research/proofs/grid.ts --seeds 531,532,533,534,535 --jobs 16
 *     npx tsx research/proofs/grid.ts --arms ssl-pass,ssl-tiers --seeds 1 --jobs 2 --split valid     a pilot
 */
import type { TrainEvent } from "limbeck";
import { areaUnder } from "limbeck/eval";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { withFolder, withTinyModel, withTinyTraining } from "../results/tiny-training.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { lastPart, success as successOf } from "./graded/measures.ts";
import { openGrid, SETTINGS, tasksOf, writeWeakStart } from "./grid/start.ts";
import { differenceWords } from "./matched.ts";

/** Of the policy's own, in the world; copies that play at random take others, which are told apart. */
const OWN_STEPS = 16_000;
const HELD_OUT = 200;
/** Success of three updates whose first time is told, in episodes. */
const TARGET = 0.5;
const EPISODES = SETTINGS.tasks * SETTINGS.group;

interface Arm {
  /** The first arm of a study is what the others are compared with. */
  readonly study: "ssl" | "proact";
  readonly credit: string;
  readonly partialCredit: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const random = (count: number) => ({ continuations: { by: "random", count } });

const ARMS: Readonly<Record<string, Arm>> = {
  // The same credit with nothing between the start and the goal.
  "ssl-pass": { study: "ssl", credit: "ssl", partialCredit: true, settings: { credit: { tiers: 1 } } },
  "ssl-tiers": { study: "ssl", credit: "ssl", partialCredit: true },
  "ssl-distance": { study: "ssl", credit: "grpo", partialCredit: true, settings: { credit: { mode: "mean_norm" } } },
  "ssl-grpo": { study: "ssl", credit: "grpo", partialCredit: false },
  "proact-grpo": { study: "proact", credit: "grpo", partialCredit: false },
  "proact-values": { study: "proact", credit: "mc-critic", partialCredit: false, settings: random(16) },
  "proact-one-play": { study: "proact", credit: "mc-critic", partialCredit: false, settings: random(1) },
};

interface Result {
  readonly start: number;
  readonly success: number;
  readonly progress: number;
  /** Success of each update's episodes, after so many own steps. */
  readonly curve: readonly { readonly x: number; readonly y: number }[];
  /** Share of the groups whose advantages are all nothing, over all updates. */
  readonly empty: number;
  /** Steps in copies of the world. */
  readonly copies: number;
  readonly seconds: number;
}

async function run({ arm: name, seed, quick, split }: OneRun): Promise<Result> {
  const { credit, partialCredit, settings = {} } = ARMS[name] as Arm;
  const begun = process.cpuUsage();
  const env = await openGrid(seed, partialCredit);
  const held = tasksOf(env, split, quick ? 2 : HELD_OUT);
  const plan = { settings: { ...SETTINGS, ...settings } };
  const curve: { x: number; y: number }[] = [];
  const empty: number[] = [];
  let [own, copies] = [0, 0];
  const onUpdate = ({ success, metrics, spent }: TrainEvent & { readonly kind: "update" }): void => {
    curve.push({ x: own, y: success });
    copies += metrics["provider/environmentSteps"] ?? 0;
    own = spent.environmentSteps - copies;
    // Values of states know no groups.
    empty.push((metrics["credit/equalGroups"] ?? 0) / SETTINGS.tasks);
  };
  return await withFolder(async (start) => {
    await writeWeakStart(start, env, seed, quick);
    const before = await withTinyModel(start, plan, ({ play }) => play(env, held, "held out"));
    const training = { recipe: "grpo", credit, ...plan, env, start, updates: quick ? 1 : 1_000, seed, onUpdate };
    const enough = (): boolean => own >= OWN_STEPS;
    const after = await withTinyTraining({ ...training, enough }, ({ play }) => play(env, held, "held out"));
    const { user, system } = process.cpuUsage(begun);
    return {
      start: successOf(before),
      success: successOf(after),
      progress: lastPart("progress")(after),
      curve,
      empty: mean(empty),
      copies,
      seconds: Math.round((user + system) / 1e6),
    };
  });
}

const areaOf = ({ curve }: Result): number => areaUnder(curve, { from: 0, to: OWN_STEPS });

/** Episodes before the first three updates whose mean is the target; all of them where it never was. */
function episodesTo({ curve }: Result): number {
  const at = curve.findIndex((_, from) => from + 3 <= curve.length && mean(curve.slice(from, from + 3).map(({ y }) => y)) >= TARGET); // prettier-ignore
  return EPISODES * (at < 0 ? curve.length : at);
}

const MEASURES: Readonly<Record<string, readonly [of: (result: Result) => number, digits: number]>> = {
  start: [({ start }) => start, 3],
  success: [({ success }) => success, 3],
  progress: [({ progress }) => progress, 3],
  area: [areaOf, 3],
  [`episodes to ${TARGET}`]: [episodesTo, 0],
  "empty groups": [({ empty }) => empty, 3],
  updates: [({ curve }) => curve.length, 0],
  "steps in copies": [({ copies }) => copies, 0],
  seconds: [({ seconds }) => seconds, 0],
};

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  for (const study of ["ssl", "proact"] as const) {
    const arms = Object.keys(ARMS).filter(
      (arm) => ARMS[arm]?.study === study && results.some((one) => one.arm === arm),
    );
    const seeds = [...new Set(results.map(({ seed }) => seed))];
    const found = (arm: string, seed: number) => results.find((one) => one.arm === arm && one.seed === seed)?.result;
    print(`## ${study}, ${OWN_STEPS} own steps`);
    print();
    print(`| arm | seed | ${Object.keys(MEASURES).join(" | ")} |`);
    print(`| --- | ---: |${" ---: |".repeat(Object.keys(MEASURES).length)}`);
    for (const arm of arms) {
      const own = seeds.flatMap((seed) => found(arm, seed) ?? []);
      const line = (title: string, some: readonly Result[]): void =>
        print(`| ${arm} | ${title} | ${Object.values(MEASURES).map(([of, digits]) => mean(some.map(of)).toFixed(digits)).join(" | ")} |`); // prettier-ignore
      for (const seed of seeds) line(String(seed), [found(arm, seed) ?? []].flat());
      line("mean", own);
    }
    print();
    const [base = "", ...others] = arms;
    for (const arm of others) {
      for (const [measure, [of]] of Object.entries(MEASURES).slice(1, 6)) {
        const paired = seeds.flatMap((seed) => {
          const [one, other] = [found(arm, seed), found(base, seed)];
          return one === undefined || other === undefined ? [] : [of(one) - of(other)];
        });
        print(`- ${measure}, ${arm} minus ${base}: ${differenceWords(paired)}`);
      }
    }
    print();
  }
}

await runStudy<Result>({ name: "grid", arms: Object.keys(ARMS), run, report });
