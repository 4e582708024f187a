/**
 * The learning proofs of rollout strategies and rewards: arms against plain groups, five paired seeds, equal environment
 * steps (or tokens, where the row asks for those), on tasks that chose nothing. One arena a study; a study that was
 * stopped goes on where it was.
 *
 *     npx tsx research/strategy-proofs.ts --jobs 16                 all studies, one after the other
 *     npx tsx research/strategy-proofs.ts treepo dart --jobs 16     some
 *     npx tsx research/strategy-proofs.ts --list                    their names and arms
 *     npx tsx research/strategy-proofs.ts --quick                   one update of every arm, one seed: none may fail
 *
 * Results lie below --out (runs/strategy-proofs by default), a folder a study; a table of differences is printed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { arena } from "limbeck";
import { comparisonWords, storedPlan, type ArenaSummary, type ArmInput } from "limbeck/arena";
import { mean } from "limbeck/base";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string" },
    out: { type: "string", default: "runs/strategy-proofs" },
    seeds: { type: "string", default: "31,32,33,34,35" },
    list: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

interface Study {
  /** The rows of the catalogue that it is about, and what they must show. */
  readonly rows: string;
  readonly env: string;
  readonly envOptions?: Readonly<Record<string, string | number | boolean>>;
  readonly budget: string;
  /** The first is what the others are compared with. */
  readonly arms: readonly [ArmInput, ...ArmInput[]];
  /** Metrics of the updates whose mean is printed beside the comparison. */
  readonly metrics?: readonly string[];
}

const SMALL = { tasks: 8, group: 8 } as const;
/** Longer houses than the bundled model's own: groups that all fail are common there. */
const LONG = { dial: "small" } as const;

const plain = (name: string, settings: NonNullable<ArmInput["settings"]> = {}): ArmInput => ({
  name,
  recipe: "grpo",
  settings: { ...SMALL, ...settings },
});
const by = (
  strategy: string,
  { name = strategy, settings = {}, ...more }: Partial<ArmInput> & { readonly name?: string } = {},
): ArmInput => ({ name, recipe: "grpo", strategy, settings: { ...SMALL, ...settings }, ...more });

const POOL = { "tasks.pool": 64 } as const;
const HOUSEHOLD = { env: "household", budget: "steps=16000" } as const;

const STUDIES: Readonly<Record<string, Study>> = {
  treepo: {
    rows: "TreePO: as good at a third fewer sampled tokens (equal tokens here)",
    env: "household",
    budget: "tokens=80000",
    arms: [plain("group"), { ...by("treepo"), credit: "treepo" }],
    metrics: ["strategy/tokensSaved", "strategy/branches"],
  },
  latr: {
    rows: "LATR: fewer groups without differences, at least as good",
    env: "research",
    budget: "tokens=80000",
    arms: [
      plain("group"),
      by("latr"),
      by("latr", {
        name: "latr-published",
        settings: { "strategy.firstLook": 20, "strategy.secondLook": 30, "strategy.thirdLook": 50 },
      }),
    ],
    metrics: ["strategy/branches"],
  },
  dart: {
    rows: "DART: the archive over a pool beats plain groups over it; half of the steps within 0.02 of all",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [
      plain("group", POOL),
      by("archive", { settings: POOL }),
      by("archive", { name: "archive-half", settings: { ...POOL, stepShare: 0.5 } }),
    ],
    metrics: ["strategy/archiveHits", "tasks/visitsBefore"],
  },
  chain: {
    rows: "SAGE: skills carried over a chain",
    ...HOUSEHOLD,
    arms: [
      plain("group", POOL),
      by("chain", { settings: POOL }),
      by("chain", { name: "chain-agent", settings: { ...POOL, "strategy.write": "agent" } }),
    ],
    metrics: ["strategy/skillsCarried"],
  },
  curriculum: {
    rows: "Curricula over a pool",
    ...HOUSEHOLD,
    arms: [
      plain("group", POOL),
      by("curriculum", { settings: POOL }),
      by("curriculum", { name: "easy-first", settings: { ...POOL, "strategy.by": "easy-first" } }),
    ],
    metrics: ["strategy/passedOver"],
  },
  replay: {
    rows: "DOTS + RR: replay and difficulty, over a pool and without one",
    ...HOUSEHOLD,
    arms: [plain("group"), by("replay"), by("replay", { name: "replay-pool", settings: POOL })],
    metrics: ["strategy/replayedGroups"],
  },
  dars: {
    rows: "DARS, XRPO: hard tasks up at the same budget",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [
      plain("group"),
      { name: "dars", recipe: "dars", settings: SMALL },
      { name: "dars-hardness", recipe: "dars", preset: "hardness", settings: SMALL },
      { name: "xrpo", recipe: "xrpo", settings: SMALL },
    ],
    metrics: ["strategy/extraRollouts"],
  },
  "treeps-rag": {
    rows: "TreePS-RAG: frontier by documents, equal sampled tokens",
    env: "research",
    budget: "tokens=80000",
    arms: [
      plain("group"),
      { ...plain("treeps-rag"), credit: "treeps-rag" },
      { ...plain("treeps-rag-order", { "strategy.frontier": "order" }), credit: "treeps-rag" },
    ],
    metrics: ["strategy/branches", "strategy/tokensSaved"],
  },
  rose: {
    rows: "ROSE: branching by meaning",
    env: "countdown",
    budget: "tokens=80000",
    arms: [
      plain("group"),
      { ...plain("rose"), credit: "rose" },
      { ...plain("rose-entropy", { "strategy.metric": "entropy" }), credit: "rose" },
    ],
    metrics: ["strategy/branches"],
  },
  echo: {
    rows: "ECHO: accuracy without labels rises by 0.05 or more",
    // Answers are a few words here; two right formulas of countdown seldom read alike.
    env: "research",
    budget: "tokens=80000",
    arms: [
      { ...plain("majority"), reward: "majority" },
      { ...plain("echo"), credit: "echo", reward: "majority" },
      { ...plain("echo-no-bonus", { "credit.bonus": 0 }), credit: "echo", reward: "majority" },
    ],
    metrics: ["reward/majority", "reward/majority.share", "strategy/branches"],
  },
  "step-grpo": {
    rows: "EmbodiedBrain / Step-GRPO: guided groups differ more often than whole ones, and success comes sooner",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [plain("group"), { ...plain("step-grpo"), credit: "step-grpo" }],
    metrics: ["strategy/mixedGuided", "strategy/mixedFull"],
  },
  ssl: {
    rows: "SSL: graded outcomes by tiers against all or nothing",
    env: "countdown",
    envOptions: { partialCredit: true },
    budget: "tokens=80000",
    arms: [plain("grpo"), { ...plain("ssl"), credit: "ssl" }, { ...plain("tiers"), reward: "tiers" }],
    metrics: ["reward/tiers"],
  },
  "rl-struct": {
    rows: "RL-Struct: structure rewards where actions are JSON",
    env: "tools",
    budget: "steps=16000",
    arms: [
      plain("outcome"),
      {
        ...plain("structure"),
        reward: {
          rewards: [
            { use: "outcome", weight: 1 },
            { use: "structure", weight: 0.3 },
          ],
        },
      },
      {
        ...plain("tool-match"),
        reward: {
          rewards: [
            { use: "outcome", weight: 1 },
            { use: "tool-match", weight: 0.3 },
          ],
        },
      },
    ],
    metrics: ["reward/structure", "reward/tool-match"],
  },
};

const print = (line = ""): void => void process.stdout.write(`${line}\n`);
const unknown = positionals.filter((name) => !Object.hasOwn(STUDIES, name));
if (unknown.length > 0)
  throw new Error(`No study ${unknown.join(", ")}; there are ${Object.keys(STUDIES).join(", ")}.`);
const chosen = Object.entries(STUDIES).filter(([name]) => positionals.length === 0 || positionals.includes(name));

/** What a quick try changes: everything runs once, and tells nothing. */
const QUICK = { tasks: 2, group: 2, maxSteps: 4, "tasks.pool": null } as const;

async function run(name: string, study: Study, dir: string): Promise<void> {
  const { env, envOptions, arms } = study;
  const settings = values.quick ? QUICK : {};
  const jobs = values.jobs === undefined ? {} : { jobs: Number(values.jobs) };
  const { failed, summary } = await arena({
    arms: arms.map((arm) => ({ ...arm, settings: { ...arm.settings, ...settings } })),
    env,
    ...(envOptions === undefined ? {} : { envOptions }),
    seeds: values.quick ? [1] : values.seeds.split(",").map(Number),
    budget: values.quick ? "updates=1" : study.budget,
    evaluation: values.quick ? { tasks: 2, finalTasks: 0 } : { every: 5, tasks: 96, finalTasks: 200 },
    baseline: arms[0].name,
    dir,
    resume: (await storedPlan(dir)) !== undefined,
    ...jobs,
  });
  print(`## ${name}`);
  print();
  print(`${study.rows}. ${env}, ${values.quick ? "one update" : study.budget}, ${failed} runs failed.`);
  print();
  report(summary, study.metrics ?? []);
  if (failed > 0) process.exitCode = 1;
}

function report({ plan, runs, accounts, final }: ArenaSummary, metrics: readonly string[]): void {
  for (const { name } of plan.arms) {
    const updates = runs.filter(({ arm }) => arm === name).flatMap((one) => one.updates);
    const told = metrics.flatMap((metric) => {
      const found = updates.flatMap((update) => update.metrics[metric] ?? []);
      return found.length === 0 ? [] : [`${metric} ${mean(found).toFixed(3)}`];
    });
    print(`- ${name}: ${updates.length} updates${told.length === 0 ? "" : `, ${told.join(", ")}`}`);
  }
  const [primary] = accounts;
  for (const decision of [primary?.area, final]) {
    for (const comparison of decision?.comparisons ?? []) print(`- ${comparisonWords(comparison)}`);
  }
  print();
}

if (values.list) {
  for (const [name, { rows, env, arms }] of chosen) {
    print(`${name.padEnd(12)} ${env}: ${arms.map((arm) => arm.name).join(", ")}. ${rows}.`);
  }
} else {
  const out = values.quick ? await mkdtemp(join(tmpdir(), "limbeck-proofs-")) : values.out;
  for (const [name, study] of chosen) await run(name, study, join(out, name));
  if (values.quick) await rm(out, { recursive: true, force: true });
}
