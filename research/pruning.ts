/**
 * ARRoL in household: groups that are pruned in the middle by the bundled scorer, beside whole ones on the same tasks. One
 * seed a run:
 *
 *     npx tsx research/pruning.ts --seed 31 --out DIR [--quick]
 *     npx tsx research/pruning.ts --sum DIR
 *     npx tsx research/pruning.ts --look --seed 1 --out DIR      what settings are chosen by: training tasks, larger groups
 *
 * Variances are unbiased (n - 1), since groups of different sizes are compared. A task is solved where one that is left
 * succeeds. Tokens are those that were sampled.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout, openModel, type Trajectory } from "limbeck";
import { groupedBy } from "../packages/base/src/base/grouped-by.ts";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { bundledModel } from "limbeck/local";
import { openScorer } from "limbeck/training";
import { toldBySeed } from "./told-by-seed.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/pruning" },
    sum: { type: "string" },
    look: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const TASKS = values.quick ? 2 : 50;
const LOOKED = { tasks: values.quick ? 2 : 40, group: 16, checks: [3, 4, 5, 6] } as const;
const WHOLE = 8;
/** Chosen on training tasks. */
const PRUNED = { size: 8, keep: 3, check: 6, below: 0.08, spare: 0 } as const;

/** What groups give that are whole, or what is left of them; shares and means over the tasks. */
interface Figures {
  readonly tokens: number;
  readonly solved: number;
  readonly variance: number;
  readonly mixed: number;
  readonly left: number;
}
interface Found {
  readonly seed: number;
  readonly settings: typeof PRUNED;
  readonly whole: Figures;
  readonly pruned: Figures;
}

const ownTokens = ({ streams }: Trajectory, from: number, to: number, stream: number): number =>
  (streams[stream]?.mask ?? new Uint8Array()).subarray(from, to).reduce((sum, one) => sum + one, 0);

/** Large groups of training tasks, with what the scorer said of each after so many steps. */
async function look(seed: number): Promise<void> {
  const policy = await openModel(bundledModel("household"), { threads: 1 });
  const scorer = await openScorer("household", { threads: 1 });
  const { tasks, group, checks } = LOOKED;
  const place = { env: "household", policy, split: "train", tasks, group, offset: 50_000 + 1_000 * seed };
  const { trajectories } = await rollout({ ...place, seed: `look ${seed}` });
  const episodes: object[] = [];
  for (const one of trajectories) {
    const spans = one.steps.flatMap(({ span }) => span ?? []);
    const open = checks.filter((check) => spans.length > check);
    const asked = open.flatMap((check) => {
      const span = spans[check];
      return span === undefined ? [] : [one.streams[span.stream]?.ids.subarray(0, span.start) ?? new Int32Array()];
    });
    const chances = asked.length === 0 ? [] : await scorer.scoreTokens(asked);
    episodes.push({
      task: one.task.id,
      success: one.success,
      tokens: spans.map(({ start, end, stream }) => ownTokens(one, start, end, stream)),
      chances: Object.fromEntries(open.map((check, at) => [check, chances[at]])),
    });
  }
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, `look-${seed}.json`), JSON.stringify(episodes));
  await policy.close();
  await scorer.close();
}

async function run(seed: number): Promise<void> {
  const policy = await openModel(bundledModel("household"), { threads: 1 });
  const place = { env: "household", policy, split: "test", tasks: TASKS, offset: seed * TASKS, seed } as const;
  const whole = await rollout({ ...place, group: WHOLE });
  const scorer = await openScorer("household", { threads: 1 });
  const strategy = { strategy: "prune", group: PRUNED.size, strategyOptions: PRUNED, scorer };
  const pruned = await rollout({ ...place, ...strategy });
  await policy.close();
  await scorer.close();
  const found: Found = { seed, settings: PRUNED, whole: figures(whole), pruned: figures(pruned) };
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, `pruning-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
}

function figures({ trajectories, spent }: Awaited<ReturnType<typeof rollout>>): Figures {
  const groups = [...groupedBy(trajectories, ({ task }) => task.id).values()].map((group) =>
    group.filter(({ success }) => success !== null).map(({ success }) => Number(success)),
  );
  return {
    tokens: spent.sampledTokens,
    solved: mean(groups.map((group) => Math.max(0, ...group))),
    variance: mean(groups.map(variance)),
    mixed: mean(groups.map((group) => Number(new Set(group).size === 2))),
    left: mean(groups.map(({ length }) => length)),
  };
}

function variance(numbers: readonly number[]): number {
  if (numbers.length < 2) return 0;
  const centre = mean(numbers);
  return numbers.reduce((sum, one) => sum + (one - centre) ** 2, 0) / (numbers.length - 1);
}

async function sumUp(folder: string): Promise<void> {
  const told = await toldBySeed<Found>(folder, "pruning");
  told("tokens, change", ({ whole, pruned }) => pruned.tokens / whole.tokens - 1);
  for (const figure of ["solved", "variance", "mixed", "left"] as const) {
    told(`${figure}, whole`, ({ whole }) => whole[figure]);
    told(`${figure}, pruned`, ({ pruned }) => pruned[figure]);
    told(`${figure}, change`, ({ whole, pruned }) => pruned[figure] - whole[figure]);
  }
}

if (values.sum !== undefined) await sumUp(values.sum);
else if (values.look) await look(Number(values.seed));
else await run(Number(values.seed));
