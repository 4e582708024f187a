/**
 * Many cores: 64 episodes are played, and one update's forward and backward over 64 episodes is computed, with 1, 2, 4, 8
 * and 16 of the machine's cores. Ways to use them are measured: copies of the model that share the batch (`cores`),
 * threads inside one operator (`threads`), and both. Efficiency is the speed-up over one core, divided by the cores.
 */
import { availableParallelism } from "node:os";
import { median } from "../../packages/base/src/base/statistics/summary.ts";
import { bundledModel } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { openModel } from "../../packages/policy/src/policy/local/open-model.ts";
import type { LocalOptions } from "../../packages/policy/src/policy/local/local-policy.ts";
import type { TrainRow } from "../../packages/policy/src/policy/objective.ts";
import { rollout } from "../../packages/limbeck/src/run/rollout.ts";
import { seconds, type Bench } from "./harness.ts";
import { createPolicy, drawTokens, meanLoss, trainRows } from "./policy-models.ts";

const EPISODES = 64;
const MEASURED = 3;
/** Tokens per micro-batch: small enough that sixteen have something to do. */
const BUDGET = 1024;

const MACHINE = availableParallelism();
const COUNTS = [1, 2, 4, 8, 16].filter((count) => count <= MACHINE);
/** What the goal is about; a smaller machine is held to nothing. */
const GOAL = { cores: 8, efficiency: 0.7 };

/** What so many cores are used for; `mixed` is copies of the model on four threads each. */
const WAYS = {
  cores: (count) => ({ cores: count, threads: 1 }),
  threads: (count) => ({ threads: count }),
  mixed: (count) => ({ cores: Math.max(1, count / 4), threads: Math.min(4, count) }),
} satisfies Record<string, (count: number) => LocalOptions>;
type Way = keyof typeof WAYS;

/** Work that can be done again and again, with everything compiled after the first time. */
interface Worker {
  work(): Promise<unknown>;
  close(): Promise<void>;
}

interface Job {
  readonly name: string;
  readonly what: string;
  open(options: LocalOptions): Promise<Worker>;
}

const JOBS: readonly Job[] = [
  {
    name: "sample-household",
    what: `${EPISODES} episodes of household are played by its bundled model, the world's steps included`,
    open: async (options) => {
      const model = await openModel(bundledModel("household"), { draft: "off", ...options });
      const play = { env: "household", policy: model, seed: 1, tasks: 8, group: 8, maxSteps: 10 } as const;
      return { work: () => rollout(play), close: () => model.close() };
    },
  },
  {
    name: "update-household",
    what: `forward and backward over ${EPISODES} episodes of household, its bundled model`,
    open: async (options) => {
      const model = await openModel(bundledModel("household"), { draft: "off", ...options });
      const rows = await householdRows();
      return { work: () => learn(model, rows), close: () => model.close() };
    },
  },
  {
    name: "sample-5M",
    what: `${EPISODES} conversations of 5M parameters read 128 tokens of their own and say 64`,
    open: async (options) => {
      const policy = createPolicy("5M", { budgetTokens: BUDGET, ...options });
      const work = async (): Promise<void> => {
        const talks = Array.from({ length: EPISODES }, (_, row) => {
          const talk = policy.open({ seed: row });
          talk.extend(drawTokens("5M", 128, `talk ${row}`));
          return talk;
        });
        await Promise.all(talks.map((talk) => talk.sample({ maxTokens: 64 })));
        for (const talk of talks) talk.close();
      };
      return { work, close: () => policy.close() };
    },
  },
  {
    name: "update-5M",
    what: `forward and backward over ${EPISODES} rows of 256 tokens, 5M parameters`,
    open: async (options) => {
      const policy = createPolicy("5M", { budgetTokens: BUDGET, ...options });
      const rows = trainRows("5M", EPISODES, 256);
      return { work: () => learn(policy, rows), close: () => policy.close() };
    },
  },
];

type Learning = Pick<Awaited<ReturnType<typeof openModel>>, "backward" | "discard">;

async function learn(model: Learning, rows: readonly TrainRow[]): Promise<void> {
  await model.backward(rows, meanLoss);
  model.discard();
}

let played: Promise<readonly TrainRow[]> | undefined;

/** The same for every count: what one thread has played. */
function householdRows(): Promise<readonly TrainRow[]> {
  played ??= (async () => {
    const model = await openModel(bundledModel("household"), { draft: "off", threads: 1 });
    try {
      const { trajectories } = await rollout({
        env: "household",
        policy: model,
        seed: 1,
        tasks: 8,
        group: 8,
        maxSteps: 10,
      });
      return trajectories.flatMap(({ streams }) =>
        streams.map(({ ids, mask }) => ({ ids: Int32Array.from(ids), mask: Uint8Array.from(mask) })),
      );
    } finally {
      await model.close();
    }
  })();
  return played;
}

/** Seconds with so many cores, the first time left out. */
async function measure(job: Job, way: Way, count: number): Promise<number> {
  const worker = await job.open(WAYS[way](count));
  try {
    await worker.work();
    const taken: number[] = [];
    for (let round = 0; round < MEASURED; round += 1) taken.push(await seconds(() => worker.work()));
    return median(taken);
  } finally {
    await worker.close();
  }
}

interface Line {
  readonly cores: number;
  readonly seconds: number;
  readonly speedUp: number;
  readonly efficiency: number;
}

function table(title: string, lines: readonly Line[]): string {
  const columns = ["cores", "seconds", "speed-up", "efficiency"].map((name) => name.padStart(11)).join("");
  const rows = lines.map((line) =>
    [String(line.cores), line.seconds.toFixed(3), line.speedUp.toFixed(2), `${(100 * line.efficiency).toFixed(0)}%`]
      .map((cell) => cell.padStart(11))
      .join(""),
  );
  return [title, columns, ...rows, ""].join("\n");
}

function scaling(job: Job, way: Way): Bench {
  const held = COUNTS.includes(GOAL.cores);
  const most = held ? GOAL.cores : (COUNTS.at(-1) as number);
  return {
    name: `scaling/${job.name}-${way}`,
    summary: `Efficiency at ${most} ${way}: ${job.what}.`,
    unit: `efficiency at ${most} ${way}`,
    ...(held && way === "cores" ? { goal: { at: "least", value: GOAL.efficiency } as const } : {}),
    warmUps: 0,
    repetitions: 1,
    setUp: async () => {
      const lines: Line[] = [];
      return {
        measure: async () => {
          for (const count of COUNTS) {
            const taken = await measure(job, way, count);
            const speedUp = (lines[0]?.seconds ?? taken) / taken;
            const line = { cores: count, seconds: taken, speedUp, efficiency: speedUp / count };
            lines.push(line);
            // As it comes: a long bench may be cut short.
            process.stdout.write(`${job.name} ${JSON.stringify(line)}\n`);
          }
          process.stdout.write(`\n${table(`${job.what} (${way})`, lines)}`);
          return lines.find(({ cores }) => cores === most)?.efficiency ?? Number.NaN;
        },
        notes: () => ({ machine: MACHINE, table: JSON.stringify(lines) }),
      };
    },
  };
}

export const scalingBenches: readonly Bench[] = JOBS.flatMap((job) =>
  (["cores", "threads", "mixed"] as const)
    // Micro-batches are wide enough for one core each.
    .filter((way) => way !== "mixed" || job.name.startsWith("sample"))
    .map((way) => scaling(job, way)),
);
