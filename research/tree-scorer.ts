/**
 * MedS^3 in ledger: one round of tree search, learning from what it found, and a reward model on the values of the tree's
 * own steps that chooses among eight. One seed a run:
 *
 *     npx tsx research/tree-scorer.ts --seed 1 --out DIR [--quick]
 *     npx tsx research/tree-scorer.ts --sum DIR
 *
 * The values are shares of successes among the ways that leave a state (labels `continuations`), and the reward model weighs
 * the player's own doubts beside them, as the bundled ones do. A majority is of days that were booked alike, equals by lot; a
 * weighted one counts each day with its chance.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout, search, train } from "limbeck";
import { groupedBy, mean } from "limbeck/base";
import { bundledModel, openModel } from "limbeck/policy/local";
import { openScorer, trainScorer } from "limbeck/training";
import type { Trajectory } from "limbeck/trajectory";
import { toldBySeed } from "./told-by-seed.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/tree-scorer" },
    sum: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

const WORLD = { env: "ledger", envOptions: { level: "small" } } as const;
/** At 1 the model books hardly any day right. */
const TEMPERATURE = 0.7;
const TREE = { iterations: 10_000 } as const;
const SIZES = values.quick
  ? { trees: 12, envSteps: 16, steps: 1, tasks: 2, report: 2, seconds: 5 }
  : { trees: 100, envSteps: 40, steps: 5_000, tasks: 60, report: 120, seconds: 60 };

interface Found {
  readonly seed: number;
  readonly before: number | null;
  readonly after: number | null;
  readonly updates: number;
  readonly labelled: number;
  readonly scorer: number;
  readonly majority: number;
  readonly weighted: number;
  readonly likelihood: number;
  readonly lot: number;
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

async function run(seed: number): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "limbeck-tree-scorer-"));
  try {
    const labelled: Trajectory[] = [];
    const policy = await openModel(bundledModel("ledger"), { threads: 1 });
    await search({
      ...WORLD,
      policy,
      temperature: TEMPERATURE,
      split: "train",
      tasks: SIZES.trees,
      offset: 1_000 + seed * SIZES.trees,
      search: "mcts",
      searchOptions: TREE,
      budget: { envSteps: SIZES.envSteps },
      seed,
      sink: { append: async (one) => void (await Promise.resolve(labelled.push(one))) },
    });
    await policy.close();
    const folder = join(scratch, "scorer");
    const learning = { epochs: 3, seconds: SIZES.seconds, batch: 16, likelihood: true, threads: 1, seed };
    await trainScorer({ model: "bundled:ledger", out: folder, trajectories: labelled, labels: "continuations", ...learning }); // prettier-ignore
    tell(
      `${labelled.length} ways through ${SIZES.trees} trees, ${labelled.filter(({ success }) => success).length} right`,
    );
    const round = await train({
      ...WORLD,
      recipe: "rejection-sampling",
      collect: "mcts",
      settings: { tasks: 8, collect: { ...TREE, envSteps: SIZES.envSteps } },
      threads: 1,
      seed,
      steps: values.quick ? 1 : 10_000,
      enough: ({ environmentSteps }) => environmentSteps >= SIZES.steps,
      validation: { every: 0 },
      report: { tasks: SIZES.report },
      dir: join(scratch, "run"),
      keep: false,
    });
    tell(`round of ${round.update} updates: ${round.before.success} to ${round.after.success}`);
    const learnt = await openModel(round.model, { threads: 1 });
    const asked = {
      ...WORLD,
      policy: learnt,
      temperature: TEMPERATURE,
      split: "test",
      tasks: SIZES.tasks,
      offset: seed * SIZES.tasks,
      group: 8,
    };
    const { trajectories } = await rollout({ ...asked, seed });
    await learnt.close();
    const scorer = await openScorer(folder, { threads: 1 });
    const chances = await scorer.scoreTokens(trajectories.map(({ streams }) => streams[0]?.ids ?? new Int32Array()));
    await scorer.close();
    const worth = new Map(trajectories.map((one, at) => [one, chances[at] as number]));
    const groups = [...groupedBy(trajectories, ({ task }) => task.id).values()];
    const by = (choose: (group: readonly Trajectory[]) => (one: Trajectory) => number): number =>
      mean(groups.map((group) => best(group, choose(group))));
    const chance = (one: Trajectory): number => worth.get(one) ?? 0;
    const found: Found = {
      seed,
      before: round.before.success,
      after: round.after.success,
      updates: round.update,
      labelled: labelled.length,
      scorer: by(() => chance),
      majority: by((group) => votes(group, () => 1)),
      weighted: by((group) => votes(group, chance)),
      likelihood: by(() => likelihood),
      lot: by(() => () => 0),
    };
    await mkdir(values.out, { recursive: true });
    await writeFile(join(values.out, `tree-scorer-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Success of the best; equals are as likely to be chosen. */
function best(group: readonly Trajectory[], worth: (one: Trajectory) => number): number {
  const most = Math.max(...group.map(worth));
  return mean(group.filter((one) => worth(one) === most).map(({ success }) => Number(success === true)));
}

/** How many booked the very same, each with its weight. */
function votes(group: readonly Trajectory[], weight: (one: Trajectory) => number): (one: Trajectory) => number {
  const answer = ({ steps }: Trajectory): string => steps.map(({ action }) => action.trim()).join("\n");
  const voices = groupedBy(group, answer);
  return (one) => (voices.get(answer(one)) ?? []).reduce((sum, other) => sum + weight(other), 0);
}

function likelihood({ streams }: Trajectory): number {
  const own = streams.flatMap(({ mask, logprobs = [] }) => [...logprobs].filter((_, at) => mask[at] === 1));
  return own.length === 0 ? 0 : mean(own);
}

async function sumUp(folder: string): Promise<void> {
  const told = await toldBySeed<Found>(folder, "tree-scorer");
  told("before", ({ before }) => before ?? 0);
  told("after", ({ after }) => after ?? 0);
  told("gain", ({ before, after }) => (after ?? 0) - (before ?? 0));
  for (const by of ["scorer", "majority", "weighted", "likelihood", "lot"] as const)
    told(`best of eight by ${by}`, (one) => one[by]);
  for (const by of ["majority", "likelihood", "lot"] as const) told(`scorer less ${by}`, (one) => one.scorer - one[by]);
  told("weighted votes less majority", (one) => one.weighted - one.majority);
}

if (values.sum === undefined) await run(Number(values.seed));
else await sumUp(values.sum);
