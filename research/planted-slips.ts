/**
 * A scorer of steps in ledger, whose wrong steps are known exactly. One seed a run:
 *
 *     npx tsx research/planted-slips.ts --seed 1 --out DIR [--quick]
 *     npx tsx research/planted-slips.ts --sum DIR
 *
 * It learns from days by the careless bookkeeper, each booking labelled by the world as right or wrong, with the tokens of the
 * bundled ledger model. Other days are for measuring.
 * first error (SCOPE): which booking was the first wrong one, in days by the careless bookkeeper and by the model itself.
 * best of eight (Fin-PRM): eight days by the model; the scorer chooses by the product over the bookings, household's by how
 * the day ends, for it knows nothing of bookings; by likelihood and by lot beside them.
 * informative (SCOPE): groups of four in which all failed, mended at the first error that the scorer finds: how many have a
 * success then.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout, openModel, type LocalModel, scored, type Step, type Trajectory } from "limbeck";
import { isObject } from "../packages/base/src/base/json.ts";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { getWorld, type Demonstrator } from "limbeck/env";
import { bundledModel } from "limbeck/local";
import { openScorer, trainScorer } from "limbeck/training";
import type { TrainedScorer } from "../packages/training/src/training/scorer/open-scorer.ts";
import { toldBySeed } from "./told-by-seed.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/planted-slips" },
    seconds: { type: "string", default: "100" },
    sum: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

const WORLD = { env: "ledger", envOptions: { level: "small" } } as const;
const SIZES = values.quick
  ? { train: 24, slips: 6, own: 3, groups: 3, epochs: 1 }
  : { train: 600, slips: 150, own: 60, groups: 60, epochs: 8 };
const LABEL = "right";
/** At 1 the model books hardly any day right. */
const TEMPERATURE = 0.7;

type Strategy = Exclude<NonNullable<Parameters<typeof rollout>[0]>["strategy"], string | undefined>;

/** Plays what the demonstrator says, with the tokens of the model. */
function shown(demonstrator: Demonstrator): Strategy {
  return {
    run: async (scope) => {
      await scope.each(scope.tasks, async (own, task) => {
        const walk = await own.open(task, 0);
        if (walk === undefined) return;
        const demonstration = demonstrator.start(task, own.rng.split("shown"));
        let action: string | undefined;
        while (walk.ending === undefined) {
          const admissible = walk.admissible() ?? [];
          action = demonstration.next({ action, observation: walk.observation, admissible });
          if ((await walk.impose(action, "shown")) === undefined) break;
        }
      });
    },
  };
}

function isRight({ info }: Step): boolean {
  const parts = info?.["parts"];
  return isObject(parts) && parts["booking"] === 1;
}

/** Undefined where all were right. */
function firstWrong({ steps }: Trajectory): number | undefined {
  const at = steps.findIndex((step) => !isRight(step));
  return at < 0 ? undefined : at;
}

function labelled(one: Trajectory): Trajectory {
  const own = one.steps.map((step) => ({
    name: LABEL,
    source: "world",
    score: scored(Number(isRight(step))),
    step: step.index,
  }));
  return { ...one, rewards: [...one.rewards, ...own] };
}

interface Errors {
  readonly episodes: number;
  /** Of those with an error: the scorer's first low step is it. */
  readonly accuracy: number;
  /** The lowest score of all is a wrong step. */
  readonly lowest: number;
  /** Of those without one: some step is low. */
  readonly falseAlarms: number | null;
}

async function firstErrors(scorer: TrainedScorer, episodes: readonly Trajectory[]): Promise<Errors> {
  const scores: number[][] = [];
  for (const one of episodes) scores.push(await scorer.scoreSteps(one, one.steps));
  const known = episodes.map((one, at) => {
    const steps = scores[at] as number[];
    const found = steps.findIndex((chance) => chance < 0.5);
    const lowest = one.steps[steps.indexOf(Math.min(...steps))];
    return { wrong: firstWrong(one), found, isLowestWrong: lowest !== undefined && !isRight(lowest) };
  });
  const bad = known.filter(({ wrong }) => wrong !== undefined);
  const good = known.filter(({ wrong }) => wrong === undefined);
  return {
    episodes: bad.length,
    accuracy: mean(bad.map(({ wrong, found }) => Number(wrong === found))),
    lowest: mean(bad.map(({ isLowestWrong }) => Number(isLowestWrong))),
    falseAlarms: good.length === 0 ? null : mean(good.map(({ found }) => Number(found >= 0))),
  };
}

function likelihood({ streams }: Trajectory): number {
  const own = streams.flatMap(({ mask, logprobs = [] }) => [...logprobs].filter((_, at) => mask[at] === 1));
  return own.length === 0 ? 0 : mean(own);
}

/** By task: success of the best, equals as likely as each other. */
function bestOf(episodes: readonly Trajectory[], worth: readonly number[]): number {
  const tasks = [...new Set(episodes.map(({ task }) => task.id))];
  return mean(
    tasks.map((id) => {
      const group = [...episodes.keys()].filter((at) => episodes[at]?.task.id === id);
      const most = Math.max(...group.map((at) => worth[at] as number));
      return mean(group.filter((at) => worth[at] === most).map((at) => Number(episodes[at]?.success)));
    }),
  );
}

async function choices(own: TrainedScorer, policy: LocalModel, episodes: readonly Trajectory[]): Promise<object> {
  const products: number[] = [];
  for (const one of episodes) {
    const chances = await own.scoreSteps(one, one.steps);
    products.push(chances.reduce((product, chance) => product * chance, 1));
  }
  const generic = await openScorer("household", { threads: 1 });
  const texts = episodes.map(({ streams }) => policy.tokenizer?.decode(streams[0]?.ids ?? new Int32Array()) ?? "");
  const ends = await generic.scoreTokens(texts.map((text) => generic.encode(text)));
  await generic.close();
  return {
    own: bestOf(episodes, products),
    generic: bestOf(episodes, ends),
    likelihood: bestOf(episodes, episodes.map(likelihood)),
    lot: bestOf(
      episodes,
      episodes.map(() => 0),
    ),
  };
}

interface Found {
  readonly seed: number;
  readonly epochs: number;
  readonly slips: Errors;
  readonly own: Errors;
  readonly best: Readonly<Record<string, number>>;
  readonly groups: { readonly allFailed: number; readonly informative: number };
}

async function run(seed: number): Promise<void> {
  const { demonstrators = {} } = await getWorld(WORLD.env);
  const careless = demonstrators["careless"] as Demonstrator;
  const folder = join(values.out, `scorer-${seed}`);
  await mkdir(folder, { recursive: true });
  const policy = await openModel(bundledModel("ledger"), { threads: 1 });
  const place = { ...WORLD, policy, seed, temperature: TEMPERATURE };
  const play = async (split: string, tasks: number, more: object): Promise<readonly Trajectory[]> =>
    (await rollout({ ...place, split, tasks, offset: seed * 10_000, ...more })).trajectories;
  const strategy = shown(careless);
  const [train, slips] = [
    await play("train", SIZES.train, { strategy }),
    await play("test", SIZES.slips, { strategy }),
  ];
  const card = await trainScorer({
    model: "bundled:ledger",
    out: folder,
    trajectories: train.map(labelled),
    heldOut: slips.map(labelled),
    labels: LABEL,
    epochs: SIZES.epochs,
    seconds: values.quick ? 5 : Number(values.seconds),
    batch: 16,
    threads: 1,
    seed,
  });
  const scorer = await openScorer(folder, { threads: 1 });
  try {
    const episodes = await play("test", SIZES.own, { group: 8 });
    const salvage = {
      strategy: "salvage",
      scorer: folder,
      strategyOptions: { size: 4, leastPrefix: 0, leastShare: 0 },
    };
    const mended = await play("train", SIZES.groups, { ...salvage, offset: seed * 10_000 + SIZES.train });
    const tasks = [...new Set(mended.map(({ task }) => task.id))];
    const failed = tasks.filter((id) =>
      mended.every((one) => one.task.id !== id || one.parent !== undefined || one.success !== true),
    );
    const found: Found = {
      seed,
      epochs: card.epochs,
      slips: await firstErrors(scorer, slips),
      own: await firstErrors(scorer, episodes),
      best: { ...(await choices(scorer, policy, episodes)) },
      groups: {
        allFailed: failed.length,
        informative: failed.filter((id) => mended.some((one) => one.task.id === id && one.success === true)).length,
      },
    };
    await writeFile(join(values.out, `slips-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
  } finally {
    await scorer.close();
    await policy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sumUp(folder: string): Promise<void> {
  const tell = await toldBySeed<Found>(folder, "slips");
  for (const who of ["slips", "own"] as const) {
    tell(`${who}, first error found`, (one) => one[who].accuracy);
    tell(`${who}, lowest step is wrong`, (one) => one[who].lowest);
    tell(`${who}, false alarms`, (one) => one[who].falseAlarms ?? 0);
  }
  for (const by of ["own", "generic", "likelihood", "lot"]) tell(`best of eight by ${by}`, (one) => one.best[by] ?? 0);
  for (const by of ["generic", "likelihood", "lot"]) tell(`own less ${by}`, (one) => (one.best["own"] ?? 0) - (one.best[by] ?? 0)); // prettier-ignore
  tell("groups in which all failed", (one) => one.groups.allFailed);
  tell("of them informative", (one) => one.groups.informative / Math.max(1, one.groups.allFailed));
}

if (values.sum === undefined) await run(Number(values.seed));
else await sumUp(values.sum);
