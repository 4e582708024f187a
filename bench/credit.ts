/** Credit: every estimator at three sizes, so that growth is visible. Checks of the batch are part of the time. */
import { assignCredit, credits, type Credit, type CreditBatch } from "../src/credit/index.ts";
import { randomBatch } from "../src/credit/random-batch.ts";
import { memoryMib, type Bench } from "./harness.ts";

const STEPS = 30;
const TOKENS = 64;
const GROUP = 8;
const SIZES = [64, 256, 1024] as const;
const LARGEST = 1024;

/** Milliseconds for 1,024 trajectories. */
const GOALS: Readonly<Record<string, number>> = { grpo: 60, gigpo: 150, hgpo: 400 };

export const creditBenches: readonly Bench[] = Object.entries<Credit>(credits).flatMap(([id, credit]) =>
  SIZES.map((trajectories) => creditBench(id, credit, trajectories)),
);

function creditBench(id: string, credit: Credit, trajectories: number): Bench {
  const goal = trajectories === LARGEST ? GOALS[id] : undefined;
  return {
    name: `credit/${id}-${trajectories}`,
    summary: `${credit.info.title}: ${trajectories} trajectories x ${STEPS} steps x ${TOKENS} tokens, from rows to advantages`,
    unit: "ms",
    repetitions: 7,
    warmUps: 2,
    ...(goal === undefined ? {} : { goal: { at: "most" as const, value: goal } }),
    setUp: async () => {
      const batch = batchOf(trajectories);
      return {
        measure: async () => {
          const start = performance.now();
          assignCredit(credit, batch);
          return performance.now() - start;
        },
        notes: () => ({ rows: batch.rows.length, tokens: batch.rows.length * TOKENS, MiB: memoryMib() }),
      };
    },
  };
}

function batchOf(trajectories: number): CreditBatch {
  const tasks = trajectories / GROUP;
  return randomBatch({ seed: 1, tasks, trajectories: GROUP, steps: STEPS, tokens: TOKENS, states: 60, full: true });
}
