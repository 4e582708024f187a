/**
 * Trainings that a trained scorer takes part in, one arm and one seed a run:
 *
 *     npx tsx research/scorer-rows.ts --row cso --arm cso-scorer --seed 1 --out DIR [--quick]
 *     npx tsx research/scorer-rows.ts --sum DIR
 *
 * cso: preferences at steps that are proven to have decided a failed run (flagged by likelihood, or by the scorer), against
 * preferences between whole episodes; equal updates. What is supervised is counted in trained tokens, what proving costs in
 * environment steps.
 * vla: a critic with the sparse outcome, and with the scorer's progress mixed in; equal environment steps. vla-turns: the same
 * with credit that flows from turn to turn, each of which earns what it added to the scorer's chance.
 * arrol: whole groups, and groups that the scorer prunes in the middle; equal updates.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { train } from "limbeck";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { tInterval } from "limbeck/eval";

const { values } = parseArgs({
  options: {
    row: { type: "string", default: "cso" },
    arm: { type: "string", default: "cso" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/scorer-rows" },
    sum: { type: "string" },
    /** Ends after so many updates, to see how long one takes. */
    updates: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

type Options = Parameters<typeof train>[0] & object;
interface Arm extends Pick<Options, "recipe" | "credit" | "collect" | "strategy" | "scorer" | "reward" | "settings"> {
  /** Ends with the update that passes them. */
  readonly environmentSteps?: number;
  /** Ends after so many. */
  readonly updates?: number;
}

const PROGRESS = {
  rewards: [{ use: "process", scorer: "household", options: { combine: "mean", blend: 0.5 } }],
  reward: "process",
} as const;
/** Each turn earns what it added to the chance; what is left of the outcome stands at the last. */
const GAINS = {
  rewards: [{ use: "process", scorer: "household", options: { gain: true } }],
  stepReward: "process",
} as const;
/** A critic with the sparse outcome alone, and warmed up with a learned reward. */
function criticArms(credit: string, learned: Readonly<Record<string, Arm["reward"]>>): Readonly<Record<string, Arm>> {
  const [tasks, group] = [4, 8];
  const arm = { recipe: "grpo", credit, environmentSteps: 2_500 };
  const warmed = Object.entries(learned).map(([name, reward]): [string, Arm] => [
    name,
    { ...arm, ...(reward === undefined ? {} : { reward }), settings: { tasks, group, "value-head.warmUp": 1 } },
  ]);
  return { sparse: { ...arm, settings: { tasks, group } }, ...Object.fromEntries(warmed) };
}

/** The first of a row is what the others are compared with. */
const ROWS: Readonly<Record<string, Readonly<Record<string, Arm>>>> = {
  cso: {
    dpo: { recipe: "online-dpo", settings: { tasks: 8, group: 8 }, updates: 9 },
    cso: { recipe: "cso", settings: { tasks: 8, group: 4 }, updates: 9 },
    "cso-scorer": {
      recipe: "cso",
      scorer: "household",
      settings: { tasks: 8, group: 4, strategy: { at: "judge" } },
      updates: 9,
    },
    // The published alternative: an expert says what else to do, once for each flagged step.
    "cso-expert": {
      recipe: "cso",
      settings: { tasks: 8, group: 4, "strategy.from": "corrector", "strategy.alternatives": 1 },
      updates: 9,
    },
  },
  vla: criticArms("gae", { progress: PROGRESS }),
  "vla-turns": criticArms("bi-level-gae", { gains: GAINS }),
  arrol: {
    whole: { recipe: "grpo", settings: { tasks: 8, group: 8 }, updates: 9 },
    pruned: {
      recipe: "grpo",
      strategy: "prune",
      scorer: "household",
      settings: { tasks: 8, group: 8, strategy: { keep: 3, check: 5, below: 0.5, spare: 0 } },
      updates: 9,
    },
  },
};

interface Ran {
  readonly row: string;
  readonly arm: string;
  readonly seed: number;
  readonly before: number | null;
  readonly after: number | null;
  readonly updates: number;
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  readonly trainedTokens: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly settings: object;
}

async function run(row: string, arm: string, seed: number): Promise<void> {
  const chosen = ROWS[row]?.[arm];
  if (chosen === undefined) throw new Error(`No arm ${arm} of ${row}.`);
  const { environmentSteps: most = Number.POSITIVE_INFINITY, updates = 10_000, settings, ...parts } = chosen;
  const folder = await mkdtemp(join(tmpdir(), "limbeck-scorer-rows-"));
  const all: Readonly<Record<string, number>>[] = [];
  try {
    const { before, after, update, spent } = await train({
      ...parts,
      env: "household",
      threads: 1,
      seed,
      steps: values.quick ? 1 : Number(values.updates ?? updates),
      enough: ({ environmentSteps }) => environmentSteps >= most,
      validation: { every: 0 },
      report: { tasks: values.quick ? 2 : 120 },
      dir: join(folder, "run"),
      keep: false,
      settings: values.quick ? { ...settings, tasks: 2, group: 2 } : { ...settings },
      onEvent: (event) => {
        if (event.kind !== "update") return;
        all.push(event.metrics);
        process.stdout.write(`${Math.round(performance.now() / 1_000)} s: update ${event.update}\n`);
      },
    });
    const names = [...new Set(all.flatMap((one) => Object.keys(one)))];
    const metrics = Object.fromEntries(names.map((name) => [name, mean(all.flatMap((one) => one[name] ?? []))]));
    const ran: Ran = {
      row,
      arm,
      seed,
      before: before.success,
      after: after.success,
      updates: update,
      environmentSteps: spent.environmentSteps,
      sampledTokens: spent.sampledTokens,
      trainedTokens: all.reduce((sum, one) => sum + (one["trainedTokens"] ?? 0), 0),
      metrics,
      settings: { ...settings },
    };
    await mkdir(values.out, { recursive: true });
    await writeFile(join(values.out, `row-${row}-${arm}-${seed}.json`), `${JSON.stringify(ran, null, 1)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const told = (differences: readonly number[]): string => {
  const { mean: centre, low, high } = tInterval(differences);
  return `${centre.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
};

async function sumUp(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith("row-"));
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8")) as Ran),
  );
  for (const [row, arms] of Object.entries(ROWS)) {
    const [first] = Object.keys(arms);
    for (const arm of Object.keys(arms)) {
      const runs = all.filter((one) => one.row === row && one.arm === arm);
      if (runs.length === 0) continue;
      const base = (seed: number): Ran | undefined =>
        all.find((one) => one.row === row && one.arm === first && one.seed === seed);
      const average = (of: (one: Ran) => number): string => mean(runs.map(of)).toFixed(3);
      const lines = [
        `${row} ${arm}, ${runs.length} seeds: ${average((one) => one.before ?? 0)} to ${average((one) => one.after ?? 0)}, gain ${told(runs.map((one) => (one.after ?? 0) - (one.before ?? 0)))}`,
        `  ${average((one) => one.updates)} updates, ${average((one) => one.environmentSteps)} steps, ${average((one) => one.sampledTokens)} sampled and ${average((one) => one.trainedTokens)} trained tokens, pairs ${average((one) => one.metrics["pairs/used"] ?? 0)}`,
      ];
      const paired = runs.flatMap((one) => {
        const other = base(one.seed);
        return arm === first || other === undefined ? [] : [(one.after ?? 0) - (other.after ?? 0)];
      });
      if (paired.length > 1) lines.push(`  against ${first}: ${told(paired)}`);
      process.stdout.write(`${lines.join("\n")}\n`);
    }
  }
}

if (values.sum === undefined) await run(values.row, values.arm, Number(values.seed));
else await sumUp(values.sum);
