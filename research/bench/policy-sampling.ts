/** Benches of the local policy as a speaker: sampling, reading, opening; and its memory over many updates. */
import { join } from "node:path";
import { createModel, openModel } from "../../packages/policy/src/policy/local/open-model.ts";
import type { Conversation } from "../../packages/policy/src/policy/policy.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";
import { createPolicy, drawTokens, meanLoss, models, THREADS } from "./policy-models.ts";
import { hasTorch, startTorch } from "./policy-torch.ts";

const ROWS = 64;
/** Tokens that each conversation says. */
const SAID = 32;

/** Conversations of their own words that have read that many tokens. */
async function readers(tokens: number): Promise<Conversation[]> {
  const policy = createPolicy("0.9M");
  const talks = Array.from({ length: ROWS }, (_, row) => {
    const talk = policy.open({ seed: row });
    talk.extend(drawTokens("0.9M", tokens - 1, `talk ${row}`));
    return talk;
  });
  await Promise.all(talks.map((talk) => talk.sample({ maxTokens: 1 })));
  return talks;
}

function sampling(context: number, goal: number): Bench {
  return {
    name: `policy/sample-${context}`,
    summary: `${ROWS} conversations say ${SAID} tokens each, up to ${context} of context, ${THREADS} threads.`,
    unit: "tokens/s",
    goal: { at: "least", value: goal },
    setUp: async () => {
      const speak = await speaker(context);
      return { measure: async () => (ROWS * SAID) / (await speak()) };
    },
  };
}

/** Seconds that one round of saying takes, everything before it read. */
async function speaker(context: number): Promise<() => Promise<number>> {
  const talks = await readers(context - SAID);
  let round = 0;
  return async () => {
    const forks = talks.map((talk) => talk.fork((round += 1)));
    return await seconds(() => Promise.all(forks.map((talk) => talk.sample({ maxTokens: SAID }))));
  };
}

function againstGenerate(context: number): Bench {
  return {
    name: `policy/sample-${context}-transformers`,
    summary: `Tokens per second as a share of transformers' generate, ${ROWS} rows of ${SAID} tokens up to ${context} of context, reading not counted, the same ${THREADS} threads.`,
    unit: "of generate",
    goal: { at: "least", value: 2 },
    setUp: async () => {
      const speak = await speaker(context);
      const length = context - SAID;
      const theirs = startTorch({ config: models["0.9M"], rows: ROWS, length, threads: THREADS, kind: "generate" });
      const rates: number[] = [];
      return {
        measure: async () => {
          const taken = await theirs.seconds(SAID);
          rates.push((ROWS * SAID) / taken);
          return taken / (await speak());
        },
        notes: () => {
          theirs.close();
          return { "its tokens/s": Math.max(...rates) };
        },
      };
    },
  };
}

const observing: Bench = {
  name: "policy/observe-512",
  summary: `${ROWS} conversations take in 128 tokens each, up to 512 of context, and say one, ${THREADS} threads.`,
  unit: "tokens/s",
  goal: { at: "least", value: 20_000 },
  setUp: async () => {
    const talks = await readers(384);
    let round = 0;
    return {
      measure: async () => {
        const forks = talks.map((talk) => talk.fork((round += 1)));
        forks.forEach((talk, row) => talk.extend(drawTokens("0.9M", 127, `observation ${round} ${row}`)));
        const taken = await seconds(() => Promise.all(forks.map((talk) => talk.sample({ maxTokens: 1 }))));
        return (ROWS * 128) / taken;
      },
    };
  },
};

const opening: Bench = {
  name: "policy/first-token",
  summary: "Opens a model folder of 0.9M parameters and says one token after a prompt of 64.",
  unit: "s",
  goal: { at: "most", value: 2 },
  setUp: async (folder) => {
    const place = join(folder, "model");
    const model = await createModel(models["0.9M"], { seed: 1 });
    await model.save(place);
    await model.close();
    return {
      measure: () =>
        seconds(async () => {
          const opened = await openModel(place, { threads: THREADS });
          const talk = opened.open();
          talk.extend(drawTokens("0.9M", 64, "prompt"));
          await talk.sample({ maxTokens: 1 });
          await opened.close();
        }),
    };
  },
};

const UPDATES = 2000;
const WARM_UP = 200;

const memory: Bench = {
  name: "policy/memory-2000",
  summary: `Resident memory after ${UPDATES} updates on batches of many shapes, with sampling between them.`,
  unit: "MiB",
  goal: { at: "most", value: 1536 },
  warmUps: 0,
  repetitions: 1,
  setUp: async () => {
    const policy = createPolicy("0.9M", { budgetTokens: 2048 });
    const marks: number[] = [];
    return {
      measure: async () => {
        for (let update = 0; update < UPDATES; update += 1) {
          const rows = Array.from({ length: 2 + (update % 3) }, (_, row) => {
            const ids = drawTokens("0.9M", 24 + ((update * 37 + row * 11) % 104), `update ${update} ${row}`);
            return { ids, mask: new Uint8Array(ids.length).fill(1) };
          });
          await policy.backward(rows, meanLoss);
          await policy.step({ learningRate: 1e-5 });
          if (update % 20 === 0) {
            const talk = policy.open({ seed: update });
            talk.extend(drawTokens("0.9M", 40, `prompt ${update}`));
            await talk.sample({ maxTokens: 8 });
            talk.close();
          }
          if (update % WARM_UP === WARM_UP - 1) marks.push(memoryMib());
        }
        return memoryMib();
      },
      notes: () => ({ [`every ${WARM_UP} updates`]: marks.join(" ") }),
    };
  },
};

export const policySamplingBenches: readonly Bench[] = [
  sampling(64, 10_000),
  sampling(256, 6_000),
  sampling(512, 5_000),
  sampling(1024, 3_000),
  ...(hasTorch("transformers") ? [64, 256, 512, 1024].map(againstGenerate) : []),
  observing,
  opening,
  memory,
];
