/**
 * Benches of the local policy: training, scoring and token trees. Where PyTorch is installed, each flat batch is also
 * measured against it, in turns within one run and with equal threads.
 */
import type { LocalPolicy } from "../../packages/policy/src/policy/local/local-policy.ts";
import type { TrainRow } from "../../packages/policy/src/policy/objective.ts";
import { seconds, type Bench } from "./harness.ts";
import { createPolicy, drawTokens, meanLoss, models, THREADS, trainRows, type ModelName } from "./policy-models.ts";
import { hasTorch, startTorch } from "./policy-torch.ts";

interface Batch {
  readonly model: ModelName;
  readonly rows: number;
  readonly length: number;
  readonly steps: number;
  /** Share of PyTorch's tokens per second to reach. */
  readonly ratio: number;
}

const trainBatches: readonly Batch[] = [
  { model: "0.9M", rows: 16, length: 128, steps: 5, ratio: 1 },
  { model: "5M", rows: 8, length: 256, steps: 2, ratio: 1 },
  { model: "15M", rows: 4, length: 256, steps: 2, ratio: 1 },
  { model: "0.9M", rows: 4, length: 512, steps: 5, ratio: 1 },
  { model: "0.9M", rows: 2, length: 1024, steps: 5, ratio: 1 },
];
const scoreBatches = trainBatches.slice(0, 2);

async function train(policy: LocalPolicy, rows: readonly TrainRow[]): Promise<void> {
  await policy.backward(rows, meanLoss);
  await policy.step({ learningRate: 1e-4, clipNorm: 1, weightDecay: 0.01 });
}

type Kind = "train" | "score";

function worker(kind: Kind, { model, rows, length }: Batch): (steps: number) => Promise<number> {
  const policy = createPolicy(model);
  const data = trainRows(model, rows, length);
  return (steps) =>
    seconds(async () => {
      for (let step = 0; step < steps; step += 1) {
        if (kind === "train") await train(policy, data);
        else await policy.score(data);
      }
    });
}

function rate(kind: Kind, batch: Batch): Bench {
  const { model, rows, length, steps } = batch;
  const what = kind === "train" ? "Forward, backward and AdamW over" : "Log-probabilities of every token of";
  return {
    name: `policy/${kind}-${model}-${rows}x${length}`,
    summary: `${what} ${rows} rows of ${length} tokens, ${model} parameters, ${THREADS} threads.`,
    unit: "tokens/s",
    setUp: async () => {
      const run = worker(kind, batch);
      return { measure: async () => (rows * length * steps) / (await run(steps)) };
    },
  };
}

function againstTorch(kind: Kind, batch: Batch): Bench {
  const { model, rows, length, steps, ratio } = batch;
  return {
    name: `policy/${kind}-${model}-${rows}x${length}-torch`,
    summary: `Tokens per second as a share of PyTorch's on the same batch with the same ${THREADS} threads.`,
    unit: "of PyTorch",
    goal: { at: "least", value: ratio },
    setUp: async () => {
      const run = worker(kind, batch);
      const torch = startTorch({ config: models[model], rows, length, threads: THREADS, kind });
      const rates: number[] = [];
      return {
        measure: async () => {
          const theirs = await torch.seconds(steps);
          rates.push((rows * length * steps) / theirs);
          return theirs / (await run(steps));
        },
        notes: () => {
          torch.close();
          return { "PyTorch's tokens/s": Math.max(...rates) };
        },
      };
    },
  };
}

/** A group of eight rollouts: a prompt of 256 tokens, answers of 64 that alone are trained on. */
function rollouts(): TrainRow[] {
  const prompt = drawTokens("0.9M", 256, "prompt");
  return Array.from({ length: 8 }, (_, row) => ({
    ids: Int32Array.from([...prompt, ...drawTokens("0.9M", 64, `answer ${row}`)]),
    mask: Uint8Array.from({ length: 320 }, (_, at) => (at < 256 ? 0 : 1)),
  }));
}

const tree: Bench = {
  name: "policy/tree-8x256+64",
  summary:
    "Tokens per second with the shared prompt computed once, over those of the flat batch; forward and backward.",
  unit: "times flat",
  goal: { at: "least", value: 2.3 },
  setUp: async () => {
    const [packed, flat] = [createPolicy("0.9M"), createPolicy("0.9M", { packing: "never" })];
    const rows = rollouts();
    let saved = 0;
    const run = (policy: LocalPolicy): Promise<number> =>
      seconds(async () => {
        for (let step = 0; step < 4; step += 1) {
          saved = Math.max(saved, (await policy.backward(rows, meanLoss)).tokensSaved);
          policy.discard();
        }
      });
    const rates: number[] = [];
    return {
      measure: async () => {
        const apart = await run(flat);
        const together = await run(packed);
        rates.push((4 * 8 * 320) / together);
        return apart / together;
      },
      notes: () => ({ "tokens/s": Math.max(...rates), "tokens saved of 2,560": saved }),
    };
  },
};

const torch = hasTorch();

export const policyBenches: readonly Bench[] = [
  ...trainBatches.flatMap((batch) => [rate("train", batch), ...(torch ? [againstTorch("train", batch)] : [])]),
  ...scoreBatches.flatMap((batch) => [rate("score", batch), ...(torch ? [againstTorch("score", batch)] : [])]),
  tree,
];
