/** What a policy is told when one of its threads fails, and that none of them is waited for without end. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { loadOnnxRuntime } from "../../../graph/runtime.ts";
import { createWeights, initialise } from "../weights.ts";
import type { ModelConfig } from "../model-config.ts";
import type { StatisticsShape } from "../statistics-graph.ts";
import { startCore, type Core } from "./cores.ts";
import { BASE, type CoreSetup } from "./messages.ts";

const config: ModelConfig = {
  form: "qwen3",
  vocabularySize: 32,
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 8,
  intermediateSize: 16,
  contextLength: 64,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};
const weights = createWeights(config);
initialise(weights, config, createRng("core"));
const setup: CoreSetup = { config, places: weights.places, adapterPlaces: undefined, options: { threads: 1 } };
const shape: StatisticsShape = {
  layout: { trees: 2, prefix: 0, branches: 1, length: 16 },
  padded: false,
  count: 32,
  chosen: false,
  statistics: ["logprob"],
  candidates: 0,
  tempered: false,
  top: 0,
};

const started: Core[] = [];
const start = (given: CoreSetup = setup): Core => {
  const core = startCore(given);
  started.push(core);
  return core;
};
/** A conversation that nobody opened: the thread's program ends by it. */
const kill = (core: Core): void => core.tell({ kind: "extend", talk: 99, ids: Int32Array.of(1) });

// As whoever starts cores does: threads alone cannot load it twice.
beforeAll(async () => void (await loadOnnxRuntime()));
afterEach(async () => {
  await Promise.all(started.splice(0).map((core) => core.close()));
});

describe("one core", () => {
  test("an error in a run is told by its code and names what was wrong; the thread goes on", async () => {
    const core = start();
    const run = core.ask({ kind: "run", graph: "score", set: BASE, shape, feeds: {} });
    await expect(run).rejects.toMatchObject({
      code: "graph-feed",
      message: expect.stringContaining('Input "') as string,
    });
    expect(core.runs).toBe(0);
    const taken = core.ask({ kind: "weights", set: BASE, flat: weights.flat, changes: 1, version: 1 });
    await expect(taken).resolves.toMatchObject({ kind: "taken" });
  });

  test("whoever waits for a thread that ends is told so, and so is whoever asks later", async () => {
    const core = start();
    const asked = [1, 2].map(() =>
      core.ask({ kind: "sample", talk: 1, options: { maxTokens: 4 } }).catch((error: unknown) => error),
    );
    core.tell({ kind: "open", talk: 1, start: { seed: 1 } });
    kill(core);
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ code: "acting-lost" });
    await expect(core.ask({ kind: "sample", talk: 1, options: { maxTokens: 1 } })).rejects.toThrow("has ended");
    expect(core.runs).toBe(0);
    await core.close();
  });

  test("a thread that is closed ends, and closing again does nothing", async () => {
    const core = start();
    await core.close();
    await core.close();
    await expect(core.ask({ kind: "sample", talk: 1, options: { maxTokens: 1 } })).rejects.toMatchObject({
      code: "acting-lost",
    });
  });
});
