import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Objective, StatisticName, TrainRow } from "../objective.ts";
import { headShapes } from "./heads.ts";
import { createLocalPolicy, type LocalPolicy } from "./local-policy.ts";
import { createWeights, initialise } from "./weights.ts";

/** Wide enough that the runtime gives every operator to several threads: it does from about 200,000 numbers on. */
const config = { ...tinyConfig, hiddenSize: 128, vocabularySize: 64, contextLength: 256, layers: 1 };
const ROWS = 16;
const ALL: readonly StatisticName[] = ["logprob", "candidates", "entropy", "divergence", "value"];

const open: LocalPolicy[] = [];
afterAll(async () => void (await Promise.all(open.map((policy) => policy.close()))));

function policy(threads: number): LocalPolicy {
  const weights = createWeights(config, headShapes(config, ["value"]));
  initialise(weights, config, createRng("weights"));
  weights.views["value_head.weight"]?.fill(0.3);
  const made = createLocalPolicy(config, weights, { threads, budgetTokens: 4_096 });
  open.push(made);
  return made;
}

/** Rows of 128 tokens that begin with the same ones; all that follow are learned from. */
function rowsAfter(shared: number): TrainRow[] {
  const rng = createRng("rows");
  const draw = (count: number): number[] => Array.from({ length: count }, () => rng.int(config.vocabularySize));
  const prompt = draw(shared);
  const length = shared + 128;
  return Array.from({ length: ROWS }, () => ({
    ids: Int32Array.from([...prompt, ...draw(128)]),
    mask: Uint8Array.from({ length }, (_, at) => (at < shared ? 0 : 1)),
    candidates: { count: 2, ids: Int32Array.from(draw(2 * length)) },
    teacher: new Float32Array(length * config.vocabularySize).fill(-Math.log(config.vocabularySize)),
  }));
}

/** Another weight on every number. */
function weighing(needs: readonly StatisticName[]): Objective {
  const weigh = (values: Float64Array, trained: Uint8Array): Float64Array =>
    values.map((_, at) => (trained[Math.floor((at * trained.length) / values.length)] === 1 ? Math.sin(at) : 0));
  return {
    needs,
    constantWeights: true,
    compute: (live, _frozen, rows) => ({
      loss: 0,
      weights: Object.fromEntries(
        needs.map((name) => [name, (live[name] ?? []).map((values, at) => weigh(values, (rows[at] as TrainRow).mask))]),
      ),
    }),
  };
}

/** Digests of the gradient and of the weights after a step with it, over several updates from the same start. */
async function digests(threads: number, shared: number, needs: readonly StatisticName[]): Promise<Set<string>> {
  const found = new Set<string>();
  const rows = rowsAfter(shared);
  for (let time = 0; time < 2; time += 1) {
    const model = policy(threads);
    for (let again = 0; again < 2; again += 1) {
      model.discard();
      await model.backward(rows, weighing(needs));
    }
    await model.step({ learningRate: 1e-3, clipNorm: 1 });
    found.add(createHash("sha256").update(new Uint8Array(model.weights.flat.buffer)).digest("hex"));
  }
  return found;
}

test.each([
  { threads: 2, shared: 0, needs: ["logprob"] as const },
  { threads: 2, shared: 32, needs: ALL },
  { threads: 3, shared: 0, needs: ALL },
])(
  "an update on $threads threads gives the same bits each time: $shared tokens shared, $needs",
  async ({ threads, shared, needs }) => {
    expect((await digests(threads, shared, needs)).size).toBe(1);
  },
);
