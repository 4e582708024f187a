/**
 * What a cluster would do, from measured costs: `npm run scale`, with `--json` for programs. docs/evidence/scale.md has the tables.
 *
 *     npm run scale -- --gpus 8 --machines 200 --jobs 4
 */
import { parseArgs } from "node:util";
import { COSTS, sampledPerSecond } from "./costs.ts";
import { simulate, type Cluster, type Outcome, type Work } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    gpus: { type: "string", default: "8" },
    machines: { type: "string", default: "200" },
    jobs: { type: "string", default: "4" },
    updates: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
  },
});
const [gpus, machines, jobs, updates] = [values.gpus, values.machines, values.jobs, values.updates].map(Number) as [
  number,
  number,
  number,
  number,
];
if (![gpus, machines, jobs, updates].every((count) => Number.isInteger(count) && count > 0) || gpus < 2) {
  process.stderr.write("--gpus takes a whole number from 2, --machines, --jobs and --updates from 1.\n");
  process.exit(2);
}

/** ALFWorld as in docs/learn/gpu.md: 8 episodes of a task, 22 steps and 170 sampled tokens each, 1,050 that are learned from. */
const GROUP = 8;
const STEPS = 22;
const TOKENS_PER_STEP = 8;
const LEARNED_PER_EPISODE = 1_050;

export interface Line {
  readonly name: string;
  readonly workers: number;
  readonly tasks: number;
  readonly samplers: number;
  readonly learners: number;
  readonly lag: number;
  readonly worldSecondsPerStep: number;
  readonly outcome: Outcome;
}

function line(name: string, change: Partial<Cluster> & Partial<Work> = {}): Line {
  const tasks = change.tasks ?? 128;
  const cluster: Cluster = {
    workers: machines * jobs,
    group: GROUP,
    samplers: gpus / 2,
    rows: 128,
    tokensPerSecond: sampledPerSecond,
    learners: gpus / 2,
    redisSecondsPerJob: COSTS.redisSecondsPerJob.value,
    askerSecondsPerEpisode: COSTS.askerSecondsPerEpisode.value,
    networkSeconds: COSTS.networkSeconds.value + COSTS.requestSeconds.value,
    ...change,
  };
  const work: Work = {
    tasks,
    steps: STEPS,
    tokensPerStep: TOKENS_PER_STEP,
    worldSecondsPerStep: COSTS.worldSecondsPerStep.value,
    learnSecondsPerUpdate: COSTS.learnSecondsPerToken.value * LEARNED_PER_EPISODE * GROUP * tasks,
    lag: 1,
    updates,
    ...change,
  };
  const { workers, samplers, learners } = cluster;
  const { lag, worldSecondsPerStep } = work;
  return { name, workers, tasks, samplers, learners, lag, worldSecondsPerStep, outcome: simulate(cluster, work) };
}

const half = gpus / 2;
const lines = [
  line("16 tasks, one GPU for both, no lag (docs/learn/gpu.md)", {
    workers: 16,
    tasks: 16,
    samplers: 1,
    learners: 1,
    lag: 0,
  }),
  line(`${half} sample, ${half} learn`),
  line(`${half} sample, ${half} learn, no lag`, { lag: 0 }),
  line("2 sample, the rest learn", { samplers: Math.min(2, gpus - 1), learners: Math.max(1, gpus - 2) }),
  line("the rest sample, 2 learn", { samplers: Math.max(1, gpus - 2), learners: Math.min(2, gpus - 1) }),
  ...[4, 25, 50, 100, 400].map((many) => line(`${half} + ${half}, ${many} machines`, { workers: many * jobs })),
  ...[0.1, 1, 5].map((seconds) =>
    line(`${half} + ${half}, worlds of ${seconds} s a step`, { worldSecondsPerStep: seconds }),
  ),
  line(`${half} + ${half}, worlds of 5 s, 2,000 machines`, { worldSecondsPerStep: 5, workers: 2_000 * jobs }),
  line(`${half} + ${half}, 512 tasks`, { tasks: 512 }),
];

if (values.json) process.stdout.write(`${JSON.stringify({ gpus, machines, jobs, updates, lines })}\n`);
else {
  const head = [
    "what",
    "workers",
    "tasks",
    "s/update",
    "episodes/s",
    "sampling",
    "learning",
    "asker",
    "Redis",
    "workers busy",
  ];
  process.stdout.write(`| ${head.join(" | ")} |\n| --- |${" ---: |".repeat(head.length - 1)}\n`);
  const share = (part: number): string => `${(100 * part).toFixed(part < 0.1 ? 1 : 0)}%`;
  for (const { name, workers, tasks, outcome } of lines) {
    const { seconds, episodesPerSecond, busy } = outcome;
    const cells = [workers, tasks, (seconds / updates).toFixed(1), episodesPerSecond.toFixed(0)];
    const shares = [busy.samplers, busy.learner, busy.asker, busy.redis, busy.workers].map(share);
    process.stdout.write(`| ${[name, ...cells, ...shares].join(" | ")} |\n`);
  }
}
