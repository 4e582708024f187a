import { afterAll, describe, expect, test } from "vitest";
import { tinyConfig, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import { input } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import type { Conversation, Sampled } from "../policy.ts";
import { decodeGraph } from "./decode-graph.ts";
import { decoderStack, logitsOf, parameterInputs } from "./layers.ts";
import { createPrograms } from "./programs.ts";
import { createSampler } from "./sampler.ts";
import type { Sampler } from "./sampler-options.ts";
import { flatReading } from "./transformer.ts";
import { createWeights, initialise } from "./weights.ts";

const weights = tinyWeights();
const programs = createPrograms({ threads: 1 });
afterAll(() => programs.close());

function sampler(maxRows = 16): Sampler {
  return createSampler({
    config: tinyConfig,
    weights,
    version: () => 0,
    maxRows,
    program: (shape) => programs.get(JSON.stringify(shape), () => decodeGraph(tinyConfig, shape)),
  });
}

/** Log-probabilities of a row's tokens by the flat graph, an independent computation. */
async function scored(ids: Int32Array): Promise<Float32Array> {
  const length = tinyConfig.contextLength;
  const program = await programs.get("score", () => {
    const parameters = parameterInputs(tinyConfig);
    const hidden = decoderStack(tinyConfig, parameters, flatReading(tinyConfig, 2, length));
    const logits = logitsOf(tinyConfig, parameters, hidden);
    return { logprobs: ops.gatherElements(ops.logSoftmax(logits, 1), input("targets", "int64", [2 * length, 1]), 1) };
  });
  const padded = new BigInt64Array(2 * length);
  const targets = new BigInt64Array(2 * length);
  ids.forEach((id, at) => {
    padded[at] = BigInt(id);
    if (at > 0) targets[at - 1] = BigInt(id);
  });
  const results = await program.run({ ...weights, ids: padded, targets });
  return Float32Array.from(ids, (_, at) => (at === 0 ? 0 : ((results["logprobs"] as Float32Array)[at - 1] as number)));
}

/** A dialogue of random turns; everything in it follows from its number. */
async function converse(
  talk: Conversation,
  number: number,
): Promise<{ readonly turns: Sampled[]; readonly tokens: Int32Array }> {
  const rng = createRng(`dialogue ${number}`);
  const turns: Sampled[] = [];
  for (let turn = 0; turn < 1 + rng.int(3); turn += 1) {
    talk.extend(Array.from({ length: 1 + rng.int(40) }, () => rng.int(tinyConfig.vocabularySize)));
    turns.push(await talk.sample({ maxTokens: 1 + rng.int(8), temperature: 0.5 + rng.float() }));
  }
  const { tokens } = talk;
  talk.close();
  return { turns, tokens };
}

describe("sampling", () => {
  test("sampled log-probabilities equal scored ones, over several turns", async () => {
    const { turns, tokens } = await converse(sampler().open({ seed: 5 }), 12);
    const truth = await scored(tokens);
    let at = tokens.length;
    for (const { ids, logprobs } of turns.reverse().slice(0, 1)) {
      at -= ids.length;
      ids.forEach((id, index) => {
        expect(tokens[at + index]).toBe(id);
        expect(logprobs[index]).toBeCloseTo(truth[at + index] as number, 4);
      });
    }
  });

  const many = tries(24, 200);
  test(`${many} conversations give identical tokens and log-probabilities together, in pairs and in another order`, async () => {
    const numbers = Array.from({ length: many }, (_, number) => number);
    const run = async (engine: Sampler, order: readonly number[]): Promise<Map<number, unknown>> => {
      const results = await Promise.all(order.map((number) => converse(engine.open({ seed: number }), number)));
      return new Map(order.map((number, at) => [number, results[at]]));
    };
    const together = await run(sampler(), numbers);
    const reversed = await run(sampler(8), [...numbers].reverse());
    const pairs = new Map<number, unknown>();
    for (let number = 0; number < many; number += 2) {
      for (const [key, value] of await run(sampler(), [number, number + 1])) pairs.set(key, value);
    }
    for (const number of numbers) {
      expect(reversed.get(number)).toEqual(together.get(number));
      expect(pairs.get(number)).toEqual(together.get(number));
    }
  });

  test("a conversation that begins as another did says what it would say on its own", async () => {
    const engine = sampler();
    const prompt = Array.from({ length: 45 }, (_, at) => at % tinyConfig.vocabularySize);
    const first = engine.open({ seed: "first" });
    first.extend(prompt);
    await first.sample({ maxTokens: 6 });
    const rng = createRng("second").save();
    const alone = sampler().open({ rng });
    alone.extend(prompt);
    const begun = engine.open({ rng, after: first, shared: prompt.length });
    expect([...begun.tokens]).toEqual(prompt);
    const [own, shared] = [await alone.sample({ maxTokens: 6 }), await begun.sample({ maxTokens: 6 })];
    expect([...shared.ids]).toEqual([...own.ids]);
    shared.logprobs.forEach((logprob, at) => expect(logprob).toBeCloseTo(own.logprobs[at] as number, 4));
    const whole = engine.open({ rng, after: first });
    expect([...whole.tokens]).toEqual([...first.tokens]);
  });

  test("on two threads, with products long enough to be summed in blocks, company changes nothing either", async () => {
    const config = { ...tinyConfig, hiddenSize: 128, intermediateSize: 352, heads: 4, keyValueHeads: 4, headSize: 32 };
    const wide = createWeights(config);
    initialise(wide, config, createRng("wide"));
    const several = createPrograms({ threads: 2 });
    const engine = (maxRows: number): Sampler =>
      createSampler({
        config,
        weights: wide.views,
        version: () => 0,
        maxRows,
        threads: 2,
        program: (shape) => several.get(JSON.stringify(shape), () => decodeGraph(config, shape)),
      });
    const numbers = Array.from({ length: 8 }, (_, number) => number);
    const speak = (talks: Sampler, number: number): ReturnType<typeof converse> =>
      converse(talks.open({ seed: number }), number);
    const crowd = engine(16);
    const together = await Promise.all(numbers.map((number) => speak(crowd, number)));
    const alone = engine(16);
    for (const number of numbers) expect(await speak(alone, number)).toEqual(together[number]);
    await several.close();
  });

  test("the length of others changes nothing, however long the cache is for them", async () => {
    const config = { ...tinyConfig, contextLength: 1_024 };
    const long = createPrograms({ threads: 1 });
    const rng = createRng("lengths");
    const lengths = [20, 150, 470, 1_000, 90, 230, 330, 700].slice(0, tries(4, 8));
    const prompts = lengths.map((length) => Array.from({ length }, () => rng.int(config.vocabularySize)));
    const speak = async (engine: Sampler, number: number): Promise<Sampled> => {
      const talk = engine.open({ seed: number });
      talk.extend(prompts[number] as number[]);
      return talk.sample({ maxTokens: 12 });
    };
    const engine = (): Sampler =>
      createSampler({
        config,
        weights,
        version: () => 0,
        program: (shape) => long.get(JSON.stringify(shape), () => decodeGraph(config, shape)),
      });
    const crowd = engine();
    const together = await Promise.all(prompts.map((_, number) => speak(crowd, number)));
    for (const number of prompts.keys()) expect(await speak(engine(), number)).toEqual(together[number]);
    await long.close();
  });

  test("a shared opening is read once and changes nothing", async () => {
    const rng = createRng("opening");
    const opening = Array.from({ length: 100 }, () => rng.int(tinyConfig.vocabularySize));
    const speak = async (engine: Sampler, seed: number): Promise<Sampled> => {
      const talk = engine.open({ seed });
      talk.extend(opening);
      return talk.sample({ maxTokens: 6 });
    };
    const alone = await Promise.all([0, 1, 2, 3].map((seed) => speak(sampler(), seed)));
    const shared = sampler();
    expect(await Promise.all([0, 1, 2, 3].map((seed) => speak(shared, seed)))).toEqual(alone);
  });

  test("a fork goes on from the same point with draws of its own; neither changes the other", async () => {
    const engine = sampler();
    const talk = engine.open({ seed: 3 });
    talk.extend([1, 2, 3, 4]);
    await talk.sample({ maxTokens: 3 });
    const forks = [talk.fork("a"), talk.fork("b"), talk.fork("a")];
    const results = await Promise.all([...forks, talk].map((one) => one.sample({ maxTokens: 12 })));
    expect(results[2]).toEqual(results[0]);
    expect(results[1]?.ids).not.toEqual(results[0]?.ids);
    const again = engine.open({ seed: 3 });
    again.extend([1, 2, 3, 4]);
    await again.sample({ maxTokens: 3 });
    expect(await again.sample({ maxTokens: 12 })).toEqual(results[3]);
  });
});

describe("options", () => {
  test("stop sequences, the allowed set and the context end a response", async () => {
    const engine = sampler();
    const start = (): Conversation => {
      const talk = engine.open({ seed: 1 });
      talk.extend([5, 6, 7]);
      return talk;
    };
    const free = await start().sample({ maxTokens: 10, temperature: 0 });
    const stop = free.ids.subarray(2, 4);
    const stopped = await start().sample({ maxTokens: 10, temperature: 0, stop: [stop] });
    expect([stopped.ending, stopped.ids.slice(-2)]).toEqual(["stop", stop.slice()]);
    const chosen = await start().sample({
      maxTokens: 10,
      allowed: [
        [1, 2, 28],
        [1, 3, 28],
        [4, 28],
      ],
    });
    expect(chosen.ending).toBe("stop");
    expect(["1,2,28", "1,3,28", "4,28"]).toContain(chosen.ids.join());
    expect([...(chosen.allowed?.ids.slice(0, 2) ?? [])]).toEqual([1, 4]);
    const long = engine.open();
    long.extend(Array.from({ length: 150 }, () => 1));
    expect(await long.sample({ maxTokens: 100 })).toMatchObject({ ending: "context", ids: { length: 10 } });
  });

  test.each([5e-324, 1e-46, 1e-38, 1e-37, 1e-20, 1e-7])(
    "a temperature of %d is the limit: greedy",
    async (temperature) => {
      const engine = sampler();
      const said = async (more: object): Promise<Sampled> => {
        const talk = engine.open();
        talk.extend([3, 1, 4]);
        return await talk.sample({ maxTokens: 6, ...more });
      };
      const greedy = await said({ temperature: 0 });
      const cold = await said({ temperature });
      expect([[...cold.ids], [...cold.sampledLogprobs]]).toEqual([[...greedy.ids], [0, 0, 0, 0, 0, 0]]);
      expect([...(await said({ temperature, topK: 5 })).ids]).toEqual([...greedy.ids]);
    },
  );

  test("bad input is refused before any work", async () => {
    const talk = sampler().open();
    await expect(talk.sample({ maxTokens: 1 })).rejects.toThrow(/extend the conversation with at least one token/);
    expect(() => talk.extend([29])).toThrow("Token 29 at place 0 is not in the vocabulary of 29; allowed: 0 to 28.");
    talk.extend([1]);
    await expect(talk.sample({ maxTokens: 0 })).rejects.toThrow(/Option maxTokens of sample is 0/);
    await expect(talk.sample({ maxTokens: 1, temperature: Number.NaN })).rejects.toThrow(
      /Option temperature of sample is NaN/,
    );
    await expect(talk.sample({ maxTokens: 1, allowed: [] })).rejects.toThrow(/allowed set holds no token sequence/);
    await expect(talk.sample({ maxTokens: 4, allowed: [[1], [1, 2]] })).rejects.toThrow(/beginning of another/);
    const running = talk.sample({ maxTokens: 3 });
    expect(() => talk.extend([1])).toThrow(/is sampling/);
    await running;
    const stop = new AbortController();
    const cancelled = talk.sample({ maxTokens: 100, signal: stop.signal });
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    expect((await talk.sample({ maxTokens: 2 })).ids).toHaveLength(2);
  });

  test("weights that are not numbers are named, and the engine goes on", async () => {
    const broken = { ...weights, "model.norm.weight": new Float32Array(16).fill(Number.NaN) };
    const engine = createSampler({
      config: tinyConfig,
      weights: broken,
      version: () => 0,
      program: (shape) => programs.get(JSON.stringify(shape), () => decodeGraph(tinyConfig, shape)),
    });
    const talk = engine.open();
    talk.extend([1]);
    await expect(talk.sample({ maxTokens: 2 })).rejects.toThrow(/not finite/);
    await expect(talk.sample({ maxTokens: 2 })).rejects.toThrow(/not finite/);
  });
});

test("speakers wait for a reader, and then speak in the same passes", async () => {
  const speech = sampler();
  const [brief, long] = [speech.open({ seed: 1 }), speech.open({ seed: 2 })];
  brief.extend([1]);
  long.extend(Array.from({ length: 128 }, (_, at) => at % tinyConfig.vocabularySize));
  await Promise.all([brief, long].map((talk) => talk.sample({ maxTokens: 6 })));
  // Four passes of 32 tokens, the last of which says the first word of the long one; then six with one word of the brief one each, five of
  // the long one among them.
  expect(speech.decoded).toMatchObject({ passes: 10, tokens: 12 });
});
