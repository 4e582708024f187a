/**
 * Credit: every estimator at three sizes, so that growth is visible. Checks of the batch are part of the time. The note
 * `growth` compares the fastest run with that of the size before, per trajectory: 1 is linear. Batches of 1,024
 * trajectories leave the caches of the processor, so that figures up to about 1.5 are memory, not arithmetic.
 */
import { assignCredit } from "../../packages/core/src/credit/assign.ts";
import type { CreditMethod } from "../../packages/core/src/credit/credit.ts";
import type { CreditBatch } from "../../packages/core/src/credit/row.ts";
import { allCredits } from "../../packages/core/src/credit/registry.ts";
import { randomBatch } from "../../packages/core/src/credit/random-batch.ts";
import { memoryMib, type Bench } from "./harness.ts";

const STEPS = 30;
const TOKENS = 64;
const GROUP = 8;
const SIZES = [64, 256, 1024] as const;
const LARGEST = 1024;

/** Milliseconds for 1,024 trajectories. */
const GOALS: Readonly<Record<string, number>> = { grpo: 60, gigpo: 150, hgpo: 400 };

/** Options without which a method would have less to do than it usually has. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = { "branch-grpo": { fusion: "softmax" } };

export const creditBenches: readonly Bench[] = allBenches();

function allBenches(): Bench[] {
  // Batches of the largest size take longer to make than most methods to run on them, so methods share them.
  const made = new Map<string, CreditBatch>();
  const batchOf = (trajectories: number, content: Content): CreditBatch => {
    const key = `${trajectories} ${JSON.stringify(content)}`;
    const batch = made.get(key) ?? makeBatch(trajectories, content);
    made.set(key, batch);
    return batch;
  };
  return Object.entries<CreditMethod>(allCredits).flatMap(([id, credit]) => {
    const fastest = new Map<number, number>();
    return SIZES.map((trajectories) => creditBench(id, credit, trajectories, { batchOf, fastest }));
  });
}

function creditBench(id: string, credit: CreditMethod, trajectories: number, { batchOf, fastest }: Shared): Bench {
  const goal = trajectories === LARGEST ? GOALS[id] : undefined;
  return {
    name: `credit/${id}-${trajectories}`,
    summary: `${credit.info.title}: ${trajectories} trajectories x ${STEPS} steps x ${TOKENS} tokens, from rows to advantages`,
    unit: "ms",
    repetitions: 7,
    warmUps: 2,
    ...(goal === undefined ? {} : { goal: { at: "most" as const, value: goal } }),
    setUp: async () => {
      const batch = batchOf(trajectories, contentFor(credit));
      return {
        measure: async () => {
          const start = performance.now();
          assignCredit(credit, batch, FORMS[id] ?? {});
          const spent = performance.now() - start;
          fastest.set(trajectories, Math.min(spent, fastest.get(trajectories) ?? Number.POSITIVE_INFINITY));
          return spent;
        },
        notes: () => ({
          rows: batch.rows.length,
          tokens: batch.rows.length * TOKENS,
          MiB: memoryMib(),
          ...growthOf(fastest, trajectories),
        }),
      };
    },
  };
}

interface Shared {
  readonly batchOf: (trajectories: number, content: Content) => CreditBatch;
  /** Milliseconds of the fastest run, by size. */
  readonly fastest: Map<number, number>;
}

function growthOf(fastest: ReadonlyMap<number, number>, size: number): { readonly growth?: number } {
  const before = SIZES[SIZES.indexOf(size as (typeof SIZES)[number]) - 1];
  const [own, other] = [fastest.get(size), before === undefined ? undefined : fastest.get(before)];
  if (before === undefined || own === undefined || other === undefined) return {};
  return { growth: Number((own / size / (other / before)).toFixed(2)) };
}

interface Content {
  readonly branches: boolean;
  readonly signals: boolean;
}

const PLAIN: ReadonlySet<string> = new Set([
  "states",
  "stepRewards",
  "values",
  "greedyScore",
  "success",
  "truncation",
  "turns",
  "oldLogprobs",
  "episodeTeacher",
  "stepTeacher",
  "branches",
]);

/** Methods on trees get branches, and rows carry signals only for methods that read them. */
function contentFor({ needs, mayNeed = {} }: CreditMethod): Content {
  const wanted = [...needs, ...Object.keys(mayNeed)];
  return { branches: wanted.includes("branches"), signals: wanted.some((need) => !PLAIN.has(need)) };
}

function makeBatch(trajectories: number, content: Content): CreditBatch {
  const tasks = trajectories / GROUP;
  const size = { tasks, trajectories: GROUP, steps: STEPS, tokens: TOKENS, states: 60 };
  return randomBatch({ seed: 1, full: true, ...size, ...content });
}
