/**
 * What trained scorers are worth on tasks that nobody has seen, with the bundled models. One world and one seed a run:
 *
 *     npx tsx research/scorers.ts --world household --seed 1 --out DIR [--labels outcome] [--parts search,prune] [--limit 380] [--quick]
 *     npx tsx research/scorers.ts --sum DIR            one table of all that lies there
 *     npx tsx research/scorers.ts --bundle DIR         puts the best of each world, by tasks of `valid`, beside its model
 *
 * Each seed plays training and test tasks of its own. An adapter learns by outlooks, in countdown, which has one step, by
 * outcomes; with --states a head on states learns from the same episodes. The cards hold the best of 8 by the scorer,
 * by likelihood, by length and by lot, at the end and in the middle, where nobody can tell episodes apart by their length.
 * search: BAVT with the adapter as value and with its former value, at equal model calls, blind to outcomes.
 * prune: groups of eight, whole and pruned to four by the adapter after `check` steps, on the same tasks.
 * The adapter learns until 90 seconds (--reserve) before the limit; a part that would begin well after the limit is left out.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout, search, openModel, type Trajectory } from "limbeck";
import type { SearchOptions } from "../packages/limbeck/src/run/search.ts";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { getWorld } from "limbeck/env";
import { bundledModel } from "limbeck/local";
import { bundledModels, type BundledModelName } from "../packages/policy/src/policy/starts.ts";
import { openScorer, trainScorer } from "limbeck/training";
import { withReplayLabels } from "../packages/training/src/training/scorer/replay-labels.ts";
import type { ScorerCard } from "../packages/training/src/training/scorer/card.ts";
import type { TrainedScorer } from "../packages/training/src/training/scorer/open-scorer.ts";
import { summed } from "./scorers-sum.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "household" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/scorers" },
    parts: { type: "string", default: "search" },
    labels: { type: "string" },
    reserve: { type: "string", default: "90" },
    states: { type: "boolean", default: false },
    limit: { type: "string", default: "400" },
    sum: { type: "string" },
    bundle: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

interface Sizes {
  /** Tasks to learn from, four episodes each, and to be judged on, eight each. */
  readonly train: number;
  readonly test: number;
  /** Failures for each success. */
  readonly balance?: number;
  /** Model calls of a search, and on how many of the test tasks. */
  readonly calls: number;
  readonly searched: number;
  /** Steps before the look of the pruner. */
  readonly check?: number;
  /** Tasks that there are, where they have an end. */
  readonly there?: { readonly train: number; readonly test: number };
}

const SIZES: Readonly<Record<string, Sizes>> = {
  household: { train: 640, test: 100, balance: 3, calls: 36, searched: 40, check: 5 },
  countdown: { train: 1_600, test: 200, balance: 2, calls: 8, searched: 100 },
  shop: { train: 120, test: 60, calls: 24, searched: 20, check: 3, there: { train: 2_399, test: 300 } },
  ledger: { train: 600, test: 120, balance: 8, calls: 12, searched: 60 },
  research: { train: 240, test: 80, balance: 3, calls: 12, searched: 20, there: { train: 500, test: 100 } },
  tools: { train: 100, test: 40, balance: 3, calls: 12, searched: 20 },
  archive: { train: 120, test: 40, calls: 24, searched: 20 },
  draft: { train: 300, test: 80, balance: 3, calls: 12, searched: 20 },
  emit: { train: 1_200, test: 100, calls: 8, searched: 60 },
  talk: { train: 800, test: 100, balance: 3, calls: 12, searched: 20 },
};
const QUICK = { train: 20, test: 4, calls: 6, searched: 2 };
const [GROUP, TRAIN_GROUP] = [8, 4];
/** Of the split that nothing else here plays. */
const VALID_TASKS = values.quick ? 4 : 80;

type Found = Record<string, unknown>;

function byTask(trajectories: readonly Trajectory[]): Trajectory[][] {
  const ids = [...new Set(trajectories.map(({ task }) => task.id))];
  return ids.map((id) => trajectories.filter(({ task, success }) => task.id === id && success !== null));
}

function tokensOf(trajectories: readonly Trajectory[]): number {
  return trajectories.reduce(
    (all, { streams }) => all + streams.reduce((own, { mask }) => own + mask.reduce((sum, one) => sum + one, 0), 0),
    0,
  );
}

function variance(numbers: readonly number[]): number {
  const centre = mean(numbers);
  return mean(numbers.map((value) => (value - centre) ** 2));
}

/** What a group of eight gives, by task: solved at all, and how much the rewards of those left vary. */
function groupFigures(trajectories: readonly Trajectory[]): Found {
  const groups = byTask(trajectories).map((group) => group.map(({ success }) => Number(success)));
  return {
    tokens: tokensOf(trajectories),
    solved: groups.map((group) => Math.max(0, ...group)),
    variance: groups.map((group) => (group.length === 0 ? 0 : variance(group))),
    left: groups.map(({ length }) => length),
  };
}

async function study(env: BundledModelName, seed: number, out: string): Promise<void> {
  const began = Date.now();
  const seconds = (): number => (Date.now() - began) / 1_000;
  const known = SIZES[env];
  if (known === undefined) throw new Error(`No sizes for ${env}; there are ${Object.keys(SIZES).join(", ")}.`);
  const sizes = values.quick ? { ...known, ...QUICK } : known;
  await mkdir(out, { recursive: true });
  const name = values.labels === undefined ? `${env}-${seed}` : `${env}-${seed}-${values.labels}`;
  const found: Found = { env, seed, sizes };
  const note = async (part: string, value: unknown): Promise<void> => {
    found[part] = value;
    const { user } = process.cpuUsage();
    const times = { wall: Math.round(seconds()), processor: Math.round(user / 1e6) };
    found["seconds"] = { ...(found["seconds"] as Found | undefined), [part]: times };
    await writeFile(join(out, `${name}.json`), `${JSON.stringify(found, null, 1)}\n`);
  };
  const envOptions = bundledModels[env].worldOptions;
  const policy = await openModel(bundledModel(env), { threads: 1 });
  const place = { env, envOptions, policy };
  const from = (split: "train" | "test"): number =>
    (seed * sizes[split]) % ((sizes.there?.[split] ?? Number.POSITIVE_INFINITY) - sizes[split] + 1);
  const testing = { split: "test", tasks: sizes.test, offset: from("test"), seed: `test ${seed}` };
  try {
    const learning = { split: "train", tasks: sizes.train, offset: from("train"), seed: `train ${seed}` };
    const { trajectories: played } = await rollout({ ...place, ...learning, group: TRAIN_GROUP });
    const { trajectories: test } = await rollout({ ...place, ...testing, group: GROUP });
    const success = mean(test.map((one) => Number(one.success)));
    await note("played", { train: played.length, test: test.length, tokens: tokensOf(test), success });
    const train = await withDistances(env, envOptions, played);
    await note("replayed", train.filter(({ rewards }) => rewards.some(({ name }) => name === "distance")).length);
    const model = `bundled:${env}`;
    const common = { model, trajectories: train, heldOut: test, threads: 1, seed };
    if (values.states)
      await note("states", await trainScorer({ ...common, kind: "states", out: join(out, `${env}-${seed}-states`) }));
    const { labels = train.every(({ steps }) => steps.length < 2) ? "outcome" : "outlook" } = values;
    const folder = join(out, `${name}-adapter`);
    let validLoss = Number.POSITIVE_INFINITY;
    const card = await trainScorer({
      ...common,
      ...(sizes.balance === undefined ? {} : { balance: sizes.balance }),
      labels,
      likelihood: true,
      out: folder,
      epochs: 6,
      seconds: Math.max(5, Number(values.limit) - Number(values.reserve) - seconds()),
      batch: 8,
      learningRate: 0.003,
      onEpoch: (epoch) => {
        validLoss = Math.min(validLoss, epoch.validLoss);
        process.stdout.write(`${Math.round(seconds())} s: ${JSON.stringify(epoch)}\n`);
      },
    });
    await note("adapter", { validLoss, ...card });
    const scorer = await openScorer(folder, { threads: 1 });
    try {
      const parts: Readonly<Record<string, () => Promise<Found | undefined>>> = {
        search: () => searched(sizes, { ...place, ...testing, tasks: sizes.searched }, scorer),
        prune: async () => {
          const { check } = sizes;
          if (check === undefined) return undefined;
          const strategy = { strategy: "prune", group: GROUP, strategyOptions: { check } };
          const pruned = await rollout({ ...place, ...testing, ...strategy, scorer });
          return { whole: groupFigures(test), pruned: groupFigures(pruned.trajectories), prunedTokens: pruned.spent };
        },
      };
      for (const part of values.parts.split(",")) {
        if (seconds() > Number(values.limit) + 30) continue;
        // What was measured before stays, whatever becomes of the rest.
        const result = await parts[part]?.().catch((error: unknown) => ({ error: String(error) }));
        if (result !== undefined) await note(part, result);
      }
    } finally {
      await scorer.close();
    }
  } finally {
    await policy.close();
  }
}

/** With what is still to do after each step, where somebody can tell and there is more than one. */
async function withDistances(
  env: BundledModelName,
  options: (typeof bundledModels)[BundledModelName]["worldOptions"],
  played: readonly Trajectory[],
): Promise<readonly Trajectory[]> {
  const world = await getWorld(env);
  const [demonstrator] = Object.values(world.demonstrators ?? {});
  if (demonstrator === undefined || played.every(({ steps }) => steps.length < 2)) return played;
  try {
    return await withReplayLabels(played, { env: await world.create(options), demonstrator });
  } catch (error) {
    // Then outcomes are all there is.
    process.stdout.write(`Not played again: ${String(error)}\n`);
    return played;
  }
}

async function searched(
  { calls: modelCalls }: Pick<Sizes, "calls">,
  place: Omit<SearchOptions, "search" | "scorer">,
  scorer: TrainedScorer,
): Promise<Found> {
  const arms: Record<string, Found> = {};
  for (const arm of ["scorer", "former"]) {
    const plan = { search: "bavt", budget: { modelCalls }, seesOutcome: false } as const;
    const { outcomes } = await search({ ...place, ...plan, ...(arm === "scorer" ? { scorer } : {}) });
    const calls = outcomes.reduce((sum, { spent }) => sum + spent.modelCalls, 0);
    arms[arm] = { calls, success: outcomes.map(({ episode }) => Number(episode.success)) };
  }
  return arms;
}

/** Of each world the adapter with the lowest loss on validation tasks, which are the same for all: their own are not equally hard. */
async function bundle(folder: string): Promise<void> {
  const seeds = new Map<string, number[]>();
  for (const name of (await readdir(folder)).filter((file) => /^[a-z]+-\d+\.json$/.test(file))) {
    const { env, seed, adapter } = JSON.parse(await readFile(join(folder, name), "utf8")) as {
      readonly env: string;
      readonly seed: number;
      readonly adapter?: ScorerCard;
    };
    if (adapter !== undefined) seeds.set(env, [...(seeds.get(env) ?? []), seed]);
  }
  for (const [name, candidates] of seeds) {
    const env = name as BundledModelName;
    const losses = candidates.length === 1 ? [0] : await validLosses(env, candidates, folder);
    const seed = candidates[losses.indexOf(Math.min(...losses))] as number;
    const to = join(bundledModel(env), "scorer");
    await rm(to, { recursive: true, force: true });
    await cp(join(folder, `${env}-${seed}-adapter`), to, {
      recursive: true,
      filter: (file) => !file.endsWith(".svg"),
    });
    // The package holds no pictures.
    const page = join(to, "SCORER.md");
    await writeFile(page, (await readFile(page, "utf8")).replace("![calibration](calibration.svg)\n\n", ""));
    const told = candidates.map((one, at) => `${one} ${(losses[at] as number).toFixed(4)}`).join(", ");
    process.stdout.write(`${env}: seed ${seed} (losses ${told})\n`);
  }
}

/** At the end of each episode and before its middle step, where a scorer is asked. */
async function validLosses(
  env: BundledModelName,
  candidates: readonly number[],
  folder: string,
): Promise<readonly number[]> {
  const envOptions = bundledModels[env].worldOptions;
  const policy = await openModel(bundledModel(env), { threads: 1 });
  const playing = { env, envOptions, policy, split: "valid", tasks: VALID_TASKS, group: TRAIN_GROUP, seed: "bundle" };
  const { trajectories } = await rollout(playing);
  await policy.close();
  const asked = trajectories.flatMap(({ steps, streams, success }) => {
    const [last, middle] = [steps.at(-1)?.span, steps[steps.length >> 1]?.span];
    const ids = (stream: number, end: number): Int32Array[] => {
      const found = streams[stream]?.ids.subarray(0, end) ?? new Int32Array();
      return found.length === 0 ? [] : [found];
    };
    const contexts = [
      ...(last === undefined ? [] : ids(last.stream, last.end)),
      ...(middle === undefined || steps.length < 2 ? [] : ids(middle.stream, middle.start)),
    ];
    return contexts.map((context) => ({ context, success: Number(success) }));
  });
  const losses: number[] = [];
  for (const seed of candidates) {
    const scorer = await openScorer(join(folder, `${env}-${seed}-adapter`), { threads: 1 });
    const chances = await scorer.scoreTokens(asked.map(({ context }) => context));
    await scorer.close();
    losses.push(
      mean(chances.map((chance, at) => -Math.log(asked[at]?.success === 1 ? chance : Math.max(1e-9, 1 - chance)))),
    );
  }
  return losses;
}

if (values.sum !== undefined) await summed(values.sum);
else if (values.bundle === undefined) await study(values.world as BundledModelName, Number(values.seed), values.out);
else await bundle(values.bundle);
