/**
 * MedS^3: one round of tree search, learning from what it found, and a reward model on the values of the trees' own steps
 * that chooses among eight. One seed a run:
 *
 *     npx tsx research/tree-scorer.ts --world household --seed 1 --out DIR [--quick]
 *     npx tsx research/tree-scorer.ts --world household --seed 1 --out DIR --round      the round alone, no reward model
 *     npx tsx research/tree-scorer.ts --world household --seed 1 --out DIR --plain      its control: the round without trees
 *     npx tsx research/tree-scorer.ts --sum DIR --world household        with --round: rounds beside their control
 *
 * household: the trees of a training feed both the policy and the reward model; what was learnt then plays test tasks eight
 * times. An errand that fails is cut at twelve steps, so that its end tells; so it is also asked after six steps which one
 * to finish, among those that still go on. ledger: no round (a first one, seed 1, fell from 0.408 to 0.175), the choice
 * alone; nothing there tells a right day from a wrong one.
 * The values are shares of successes among the ways that leave a state (labels `continuations`), and the reward model weighs
 * the player's own doubts beside them, as the bundled ones do. A majority is of those that did the very same, equals by lot;
 * a weighted one counts each with its chance.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout, search, train, openModel, type Trajectory } from "limbeck";
import { groupedBy } from "../packages/base/src/base/grouped-by.ts";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { bundledModel } from "limbeck/local";
import { openScorer, trainScorer } from "limbeck/training";
import type { TrainedScorer } from "../packages/training/src/training/scorer/open-scorer.ts";
import { foundBySeed, toldBySeed } from "./told-by-seed.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "household" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/tree-scorer" },
    sum: { type: "string" },
    plain: { type: "boolean", default: false },
    round: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const TREE = { iterations: 10_000 } as const;
const HALF = 6;
/** At 1 the model of ledger books hardly any day right. */
const WORLDS = {
  household: { place: { env: "household" }, temperature: 1, envSteps: 120, tasks: 40, seconds: 60 },
  ledger: {
    place: { env: "ledger", envOptions: { level: "small" } },
    temperature: 0.7,
    envSteps: 40,
    tasks: 40,
    seconds: 45,
  },
} as const;
type WorldName = keyof typeof WORLDS;
const SIZES = values.quick
  ? { trees: 12, steps: 120, tasks: 2, report: 2, seconds: 5 }
  : { trees: 80, steps: 5_500, tasks: undefined, report: 120, seconds: undefined };

/** Success of the one that is chosen. */
type Choices = Readonly<Record<"scorer" | "majority" | "weighted" | "likelihood" | "lot", number>>;
interface Found {
  readonly seed: number;
  readonly round: Round | undefined;
  readonly ways: number;
  readonly right: number;
  readonly end: Choices;
  readonly half: Choices | undefined;
}
interface Round {
  readonly before: number | null;
  readonly after: number | null;
  readonly updates: number;
  readonly environmentSteps: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A training on what trees found; all their ways are kept. */
async function learn(scratch: string, seed: number): Promise<{ ways: Trajectory[]; model: string; round: Round }> {
  const ways: Trajectory[] = [];
  const { before, after, update, spent, model } = await train({
    ...WORLDS.household.place,
    recipe: "rejection-sampling",
    // Without trees: groups, until as many steps of the world are taken.
    ...(values.plain ? { settings: { tasks: values.quick ? 6 : 8 } } : { collect: "mcts", settings: { tasks: values.quick ? 6 : 8, collect: { ...TREE, envSteps: WORLDS.household.envSteps } } }), // prettier-ignore
    rewardAll: async (episodes) => {
      ways.push(...episodes);
      return await Promise.resolve(episodes);
    },
    threads: 1,
    seed,
    steps: 10_000,
    enough: ({ environmentSteps }) => environmentSteps >= SIZES.steps,
    validation: { every: 0 },
    report: { tasks: SIZES.report },
    dir: join(scratch, "run"),
    keep: false,
  });
  const round = { before: before.success, after: after.success, updates: update, environmentSteps: spent.environmentSteps }; // prettier-ignore
  say(`round: ${JSON.stringify(round)}`);
  return { ways, model, round };
}

/** Trees of the model as it is. */
async function grown(world: WorldName, seed: number): Promise<Trajectory[]> {
  const ways: Trajectory[] = [];
  const { place, temperature, envSteps } = WORLDS[world];
  const policy = await openModel(bundledModel(world), { threads: 1 });
  await search({
    ...place,
    policy,
    temperature,
    split: "train",
    tasks: SIZES.trees,
    offset: 1_000 + seed * SIZES.trees,
    search: "mcts",
    searchOptions: TREE,
    budget: { envSteps },
    seed,
    sink: { append: async (one) => void (await Promise.resolve(ways.push(one))) },
  });
  await policy.close();
  return ways;
}

/** Learning, and nothing chooses: with trees, or the control. */
async function runRound(name: "plain" | "round", seed: number): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "limbeck-tree-scorer-"));
  try {
    const { round } = await learn(scratch, seed);
    await mkdir(values.out, { recursive: true });
    await writeFile(
      join(values.out, `household-${name}-${seed}.json`),
      `${JSON.stringify({ seed, round }, null, 1)}\n`,
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function run(world: WorldName, seed: number): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "limbeck-tree-scorer-"));
  try {
    const learnt = world === "household" ? await learn(scratch, seed) : undefined;
    const ways = learnt?.ways ?? (await grown(world, seed));
    const right = ways.filter(({ success }) => success === true).length;
    say(`${ways.length} ways, ${right} right`);
    const folder = join(scratch, "scorer");
    const learning = {
      epochs: 3,
      seconds: SIZES.seconds ?? WORLDS[world].seconds,
      batch: 16,
      likelihood: true,
      threads: 1,
      seed,
    };
    await trainScorer({ model: `bundled:${world}`, out: folder, trajectories: ways, labels: "continuations", ...learning }); // prettier-ignore
    const policy = await openModel(learnt?.model ?? bundledModel(world), { threads: 1 });
    const { place, temperature, tasks } = WORLDS[world];
    const asked = { ...place, policy, temperature, split: "test", tasks: SIZES.tasks ?? tasks, group: 8 };
    const { trajectories } = await rollout({ ...asked, offset: seed * asked.tasks, seed });
    await policy.close();
    const scorer = await openScorer(folder, { threads: 1 });
    const end = await chosen(scorer, trajectories, Number.POSITIVE_INFINITY);
    const open = trajectories.filter(({ steps }) => steps.length > HALF);
    const half = world === "household" ? await chosen(scorer, open, HALF) : undefined;
    await scorer.close();
    const found: Found = { seed, round: learnt?.round, ways: ways.length, right, end, half };
    say(JSON.stringify(found));
    await mkdir(values.out, { recursive: true });
    await writeFile(join(values.out, `${world}-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** By what was said and done in the first so many steps. */
async function chosen(scorer: TrainedScorer, episodes: readonly Trajectory[], most: number): Promise<Choices> {
  const ends = episodes.map(({ steps, streams }) => {
    // In the middle it is asked where trees have labels: before the next step.
    const next = steps[most]?.span;
    const last = steps.at(-1)?.span;
    return streams[(next ?? last)?.stream ?? 0]?.ids.subarray(0, next?.start ?? last?.end ?? 0) ?? new Int32Array();
  });
  const chances = await scorer.scoreTokens(ends);
  const worth = new Map(episodes.map((one, at) => [one, chances[at] as number]));
  const chance = (one: Trajectory): number => worth.get(one) ?? 0;
  const groups = [...groupedBy(episodes, ({ task }) => task.id).values()];
  const by = (choose: (group: readonly Trajectory[]) => (one: Trajectory) => number): number =>
    mean(groups.map((group) => best(group, choose(group))));
  return {
    scorer: by(() => chance),
    majority: by((group) => votes(group, most, () => 1)),
    weighted: by((group) => votes(group, most, chance)),
    likelihood: by(() => (one) => likelihood(one, most)),
    lot: by(() => () => 0),
  };
}

/** Success of the best; equals are as likely to be chosen. */
function best(group: readonly Trajectory[], worth: (one: Trajectory) => number): number {
  const most = Math.max(...group.map(worth));
  return mean(group.filter((one) => worth(one) === most).map(({ success }) => Number(success === true)));
}

/** How many did the very same, each with its weight. */
function votes(
  group: readonly Trajectory[],
  most: number,
  weight: (one: Trajectory) => number,
): (one: Trajectory) => number {
  const done = ({ steps }: Trajectory): string => steps.slice(0, most).map(({ action }) => action.trim()).join("\n"); // prettier-ignore
  const voices = groupedBy(group, done);
  return (one) => (voices.get(done(one)) ?? []).reduce((sum, other) => sum + weight(other), 0);
}

function likelihood({ streams, steps }: Trajectory, most: number): number {
  const own = steps.slice(0, most).flatMap(({ span }) => {
    const { mask, logprobs = new Float32Array() } = streams[span?.stream ?? 0] ?? { mask: new Uint8Array() };
    const places = Array.from({ length: (span?.end ?? 0) - (span?.start ?? 0) }, (_, at) => (span?.start ?? 0) + at);
    return places.filter((at) => mask[at] === 1).map((at) => logprobs[at] ?? 0);
  });
  return own.length === 0 ? 0 : mean(own);
}

/** Rounds with and without trees, paired by seed. */
async function sumRounds(folder: string): Promise<void> {
  const gain = ({ round }: Found): number => (round?.after ?? 0) - (round?.before ?? 0);
  for (const name of ["round", "plain"]) {
    const told = await toldBySeed<Found>(folder, `household-${name}`);
    told(`${name}: before`, ({ round }) => round?.before ?? 0);
    told(`${name}: after`, ({ round }) => round?.after ?? 0);
    told(`${name}: gain`, gain);
    told(`${name}: steps`, ({ round }) => round?.environmentSteps ?? 0);
  }
  const plain = new Map((await foundBySeed<Found>(folder, "household-plain")).map((one) => [one.seed, gain(one)]));
  const told = await toldBySeed<Found>(folder, "household-round");
  told("gain, round less plain", (one) => gain(one) - (plain.get(one.seed) ?? Number.NaN));
}

async function sumUp(folder: string, world: WorldName): Promise<void> {
  const told = await toldBySeed<Found>(folder, world);
  if (world === "household") {
    told("before", ({ round }) => round?.before ?? 0);
    told("after", ({ round }) => round?.after ?? 0);
    told("gain", ({ round }) => (round?.after ?? 0) - (round?.before ?? 0));
  }
  for (const at of world === "household" ? (["end", "half"] as const) : (["end"] as const)) {
    const of = (by: keyof Choices) => (one: Found) => one[at]?.[by] ?? 0;
    for (const by of ["scorer", "majority", "weighted", "likelihood", "lot"] as const) told(`${at}: by ${by}`, of(by));
    for (const by of ["majority", "likelihood", "lot"] as const)
      told(`${at}: scorer less ${by}`, (one) => of("scorer")(one) - of(by)(one));
    told(`${at}: weighted votes less majority`, (one) => of("weighted")(one) - of("majority")(one));
  }
}

if (values.sum !== undefined && values.round) await sumRounds(values.sum);
else if (values.sum === undefined && (values.plain || values.round))
  await runRound(values.plain ? "plain" : "round", Number(values.seed));
else if (values.sum === undefined) await run(values.world as WorldName, Number(values.seed));
else await sumUp(values.sum, values.world as WorldName);
