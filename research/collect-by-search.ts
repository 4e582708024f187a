/**
 * Do trainings learn from what searches collect? Plain groups, best of n and MCTS, at equal environment steps:
 *
 *     npx tsx research/collect-by-search.ts [--steps 12000] [--seeds 1,2,3] [--tasks 128] [--arms group,best-of-n,mcts]
 *
 * One line for each arm and seed: held-out success before and after, updates, environment steps and tokens of all updates.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { train } from "limbeck";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "12000" },
    seeds: { type: "string", default: "1,2,3" },
    tasks: { type: "string", default: "128" },
    threads: { type: "string", default: "2" },
    arms: { type: "string", default: "group,best-of-n,mcts" },
  },
});
const [steps, tasks] = [Number(values.steps), Number(values.tasks)];
const arms = values.arms.split(",");

/** Each plays about as much of a task as a group of 8 does. */
const ARMS = {
  group: { settings: { group: 8 } },
  "best-of-n": { collect: "best-of-n", settings: { collect: { n: 8 } } },
  mcts: { collect: "mcts", settings: { collect: { envSteps: 120, iterations: 10_000 } } },
} as const;

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const share = (value: number | null): string => (value === null ? "none" : value.toFixed(3));
const folder = await mkdtemp(join(tmpdir(), "limbeck-collect-"));
write("arm\tseed\tbefore\tafter\tupdates\tenvironment steps\tsampled tokens\tmodel tokens\tseconds");
try {
  for (const [arm, { settings, ...more }] of Object.entries(ARMS).filter(([name]) => arms.includes(name))) {
    for (const seed of values.seeds.split(",").map(Number)) {
      const { before, after, update, spent } = await train({
        recipe: "grpo",
        env: "household",
        threads: Number(values.threads),
        seed,
        steps: 10_000,
        enough: ({ environmentSteps }) => environmentSteps >= steps,
        validation: { every: 0 },
        report: { tasks },
        dir: join(folder, `${arm}-${seed}`),
        keep: false,
        settings,
        ...more,
      });
      const { environmentSteps, sampledTokens, modelTokens, seconds } = spent;
      const numbers = [update, environmentSteps, sampledTokens, modelTokens, seconds.toFixed(0)];
      write([arm, seed, share(before.success), share(after.success), ...numbers].join("\t"));
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
