/**
 * What trained scorers are worth on tasks that nobody has seen, with the bundled models. One world and one seed a run:
 *
 *     npx tsx research/scorers.ts --world household --seed 1 --out DIR [--parts half,search,prune] [--limit 540] [--quick]
 *     npx tsx research/scorers.ts --sum DIR            one table of all that lies there
 *
 * Each seed plays training and test tasks of its own, and trains two scorers on the same episodes: an adapter, and a head
 * on the hidden states that sampling has computed anyway.
 * choice (always): the best of 8 by the scorer, by likelihood, by length and by lot, on the same episodes.
 * half: the same among episodes that still go on after six steps; nobody can tell them apart by their length.
 * search: BAVT with the adapter as value and with its former value, at equal model calls, blind to outcomes.
 * prune: groups of eight, whole and pruned to four by the adapter after `check` steps, on the same tasks.
 * A part is left out where it would begin after the limit.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout, search } from "limbeck";
import { mean, tInterval } from "limbeck/base";
import { bundledModel, bundledModels, openModel, type BundledModelName } from "limbeck/policy/local";
import { openScorer, trainScorer, type ScorerCard, type TrainedScorer } from "limbeck/training";
import type { Trajectory } from "limbeck/trajectory";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "household" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/scorers" },
    parts: { type: "string", default: "half,search,prune" },
    limit: { type: "string", default: "540" },
    sum: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

interface Sizes {
  /** Tasks to learn from and to be judged on, eight episodes each. */
  readonly train: number;
  readonly test: number;
  /** Of the adapter's training, and of each kind at most. */
  readonly seconds: number;
  readonly epochs: number;
  /** Model calls of a search: eight answers of countdown, three errands of household. */
  readonly calls: number;
  /** Steps before the look of the pruner. */
  readonly check?: number;
}

const SIZES: Readonly<Partial<Record<string, Sizes>>> = {
  household: { train: 80, test: 40, seconds: 150, epochs: 4, calls: 36, check: 5 },
  countdown: { train: 500, test: 100, seconds: 240, epochs: 8, calls: 8 },
  research: { train: 160, test: 80, seconds: 130, epochs: 4, calls: 12, check: 2 },
  shop: { train: 60, test: 40, seconds: 150, epochs: 4, calls: 24, check: 3 },
};
const QUICK: Sizes = { train: 10, test: 3, seconds: 5, epochs: 1, calls: 6, check: 2 };
const GROUP = 8;
const HALF = 6;

type Found = Record<string, unknown>;

function likelihood({ streams }: Trajectory, until = Number.POSITIVE_INFINITY): number {
  const own = streams.flatMap(({ mask, logprobs = new Float32Array() }) =>
    [...logprobs].filter((_, at) => mask[at] === 1 && at < until),
  );
  return own.length === 0 ? 0 : mean(own);
}

/** Success of the best of a group; equals are as likely to be chosen. */
function chosen(group: readonly Trajectory[], worth: (one: Trajectory) => number): number {
  const most = Math.max(...group.map(worth));
  return mean(group.filter((one) => worth(one) === most).map(({ success }) => Number(success)));
}

function byTask(trajectories: readonly Trajectory[]): Trajectory[][] {
  const ids = [...new Set(trajectories.map(({ task }) => task.id))];
  return ids.map((id) => trajectories.filter(({ task, success }) => task.id === id && success !== null));
}

/** Among those that are not over after six steps. */
async function atHalf(scorer: TrainedScorer, test: readonly Trajectory[]): Promise<Found> {
  const open = test.filter(({ steps }) => steps.length > HALF);
  const until = (one: Trajectory): number => one.steps[HALF - 1]?.span?.end ?? 0;
  const contexts = open.map((one) => (one.streams[0]?.ids ?? new Int32Array()).subarray(0, until(one)));
  const said = await scorer.scoreTokens(contexts);
  const chances = new Map(open.map((one, at) => [one, said[at] as number]));
  const groups = byTask(open).filter((group) => group.length > 1);
  const by = (worth: (one: Trajectory) => number): number[] => groups.map((group) => chosen(group, worth));
  return {
    groups: groups.length,
    scorer: by((one) => chances.get(one) ?? 0),
    likelihood: by((one) => likelihood(one, until(one))),
    length: by((one) => -until(one)),
    random: by(() => 0),
  };
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
  const sizes = values.quick ? QUICK : SIZES[env];
  if (sizes === undefined) throw new Error(`No sizes for ${env}; there are ${Object.keys(SIZES).join(", ")}.`);
  await mkdir(out, { recursive: true });
  const found: Found = { env, seed, sizes };
  const note = async (part: string, value: unknown): Promise<void> => {
    found[part] = value;
    found["seconds"] = { ...(found["seconds"] as Found | undefined), [part]: Math.round(seconds()) };
    await writeFile(join(out, `${env}-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
  };
  const envOptions = bundledModels[env].worldOptions;
  const policy = await openModel(bundledModel(env), { threads: 1 });
  const place = { env, envOptions, policy };
  const testing = { split: "test", tasks: sizes.test, offset: seed * sizes.test, seed: `test ${seed}` };
  try {
    const { trajectories: train } = await rollout({
      ...place,
      split: "train",
      tasks: sizes.train,
      offset: seed * sizes.train,
      group: GROUP,
      seed: `train ${seed}`,
    });
    const { trajectories: test } = await rollout({ ...place, ...testing, group: GROUP });
    await note("played", { train: train.length, test: test.length, tokens: tokensOf(test) });
    const model = `bundled:${env}`;
    for (const kind of ["states", "adapter"] as const) {
      const folder = join(out, `${env}-${seed}-${kind}`);
      const own = kind === "adapter" ? { epochs: sizes.epochs, seconds: sizes.seconds } : {};
      const learning = { batch: 16, learningRate: 0.004, threads: 1, seed, kind, ...own };
      const card = await trainScorer({ model, out: folder, trajectories: train, heldOut: test, ...learning });
      await note(kind, card);
    }
    const scorer = await openScorer(join(out, `${env}-${seed}-adapter`), { threads: 1 });
    try {
      const parts: Readonly<Record<string, () => Promise<Found | undefined>>> = {
        half: async () => (env === "household" ? await atHalf(scorer, test) : undefined),
        search: async () => {
          const arms: Record<string, Found> = {};
          for (const arm of ["scorer", "former"]) {
            const plan = { search: "bavt", budget: { modelCalls: sizes.calls }, seesOutcome: false } as const;
            const { outcomes } = await search({
              ...place,
              ...testing,
              ...plan,
              ...(arm === "scorer" ? { scorer } : {}),
            });
            const calls = outcomes.reduce((sum, { spent }) => sum + spent.modelCalls, 0);
            arms[arm] = { calls, success: outcomes.map(({ episode }) => Number(episode.success)) };
          }
          return arms;
        },
        prune: async () => {
          const { check } = sizes;
          if (check === undefined) return undefined;
          const strategy = { strategy: "prune", group: GROUP, strategyOptions: { check } };
          const pruned = await rollout({ ...place, ...testing, ...strategy, scorer });
          return { whole: groupFigures(test), pruned: groupFigures(pruned.trajectories), prunedTokens: pruned.spent };
        },
      };
      for (const part of values.parts.split(",")) {
        if (seconds() > Number(values.limit)) continue;
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

const write = (line = ""): void => void process.stdout.write(`${line}\n`);
const told = (differences: readonly number[]): string => {
  const { mean: centre, low, high } = tInterval(differences);
  return `${centre.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
};

interface Arm {
  readonly success: readonly number[];
  readonly calls: number;
}
interface Groups {
  readonly tokens: number;
  readonly solved: readonly number[];
  readonly variance: readonly number[];
}
interface Stored {
  readonly env: string;
  readonly seed: number;
  readonly states?: ScorerCard;
  readonly adapter?: ScorerCard;
  readonly half?: Readonly<Record<string, readonly number[]>>;
  readonly search?: { readonly scorer: Arm; readonly former: Arm };
  readonly prune?: { readonly whole: Groups; readonly pruned: Groups };
}

/** Means over seeds with t-intervals over seeds; searches, halves and groups over tasks. */
async function sumUp(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[a-z]+-\d+\.json$/.test(name));
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8")) as Stored),
  );
  const minus = (left: readonly number[], right: readonly number[]): number[] =>
    left.map((value, at) => value - (right[at] as number));
  for (const env of new Set(all.map((one) => one.env))) {
    const runs = all.filter((one) => one.env === env);
    write(`${env}, ${runs.length} seeds`);
    for (const kind of ["adapter", "states"] as const) {
      const cards = runs.flatMap((one) => one[kind]?.measures ?? []);
      if (cards.length === 0) continue;
      const average = (of: (card: ScorerCard["measures"]) => number | null): string =>
        told(cards.map((one) => of(one) ?? 0));
      write(`  ${kind}: AUC ${average(({ auc }) => auc)}, on the way ${average(({ midAuc }) => midAuc)}`);
      write(
        `    calibration ${average(({ calibrationError }) => calibrationError)}, on the way ${average((one) => one.midCalibrationError)}`,
      );
      const last = cards.map(({ bestOf }) => bestOf.at(-1)?.by ?? {});
      for (const way of Object.keys(last[0] ?? {}))
        write(`    best of 8 by ${way}: ${mean(last.map((by) => by[way] ?? 0)).toFixed(3)}`);
      for (const way of Object.keys(cards[0]?.beats ?? {}))
        write(`    against ${way}: ${told(cards.map(({ beats }) => beats[way]?.mean ?? 0))}`);
    }
    const halves = runs.flatMap(({ half }) => (half === undefined || !("scorer" in half) ? [] : [half]));
    for (const way of halves.length === 0 ? [] : ["likelihood", "length", "random"])
      write(`  half, against ${way}: ${told(halves.flatMap((half) => minus(half["scorer"] ?? [], half[way] ?? [])))}`);
    const searches = runs.flatMap((one) => one.search ?? []).filter((one) => "scorer" in one);
    if (searches.length > 0) {
      const calls = (arm: "scorer" | "former"): number => searches.reduce((sum, one) => sum + one[arm].calls, 0);
      const success = (arm: "scorer" | "former"): number => mean(searches.flatMap((one) => one[arm].success));
      write(
        `  BAVT: scorer ${success("scorer").toFixed(3)} (${calls("scorer")} calls), former ${success("former").toFixed(3)} (${calls("former")} calls)`,
      );
      write(`    difference ${told(searches.flatMap(({ scorer, former }) => minus(scorer.success, former.success)))}`);
    }
    const prunes = runs.flatMap(({ prune }) => prune ?? []).filter((one) => "whole" in one);
    if (prunes.length > 0) {
      write(`  pruned: tokens ${told(prunes.map(({ whole, pruned }) => pruned.tokens / whole.tokens - 1))}`);
      write(`    solved ${told(prunes.flatMap(({ whole, pruned }) => minus(pruned.solved, whole.solved)))}`);
      write(`    variance ${told(prunes.flatMap(({ whole, pruned }) => minus(pruned.variance, whole.variance)))}`);
    }
    write();
  }
}

if (values.sum === undefined) await study(values.world as BundledModelName, Number(values.seed), values.out);
else await sumUp(values.sum);
