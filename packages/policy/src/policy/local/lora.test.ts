import { afterEach, describe, expect, test } from "vitest";
import { weighted } from "../../../../../test/support/objective.ts";
import { tinyConfig, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Objective, TrainRow } from "../objective.ts";
import { createLocalPolicy, type LocalPolicy } from "./local-policy.ts";
import { createAdapter, LORA_TARGETS, loraShapes, mergeAdapter, type Adapter, type AdapterOptions } from "./lora.ts";
import type { LoraTarget } from "./model-config.ts";
import { createWeights, type Weights } from "./weights.ts";

const open: LocalPolicy[] = [];
// At once, so that the next has their programs.
afterEach(async () => void (await Promise.all(open.splice(0).map((policy) => policy.close()))));

function baseWeights(): Weights {
  const weights = createWeights(tinyConfig);
  for (const [name, values] of Object.entries(tinyWeights())) weights.views[name]?.set(values);
  return weights;
}

function policy(weights: Weights, adapter?: Adapter): LocalPolicy {
  const made = createLocalPolicy(tinyConfig, weights, { threads: 1, ...(adapter === undefined ? {} : { adapter }) });
  open.push(made);
  return made;
}

/** An adapter whose B is not zero any more, so that it says something. */
function learned(options: Partial<AdapterOptions> = {}): Adapter {
  const adapter = createAdapter(tinyConfig, { rank: 3, seed: 5, ...options });
  const rng = createRng("learned");
  for (const [name, view] of Object.entries(adapter.weights.views)) {
    if (name.endsWith("lora_B.weight")) for (let at = 0; at < view.length; at += 1) view[at] = rng.normal() * 0.2;
  }
  return adapter;
}

const rng = createRng("rows");
const rows: TrainRow[] = [9, 5, 14].map((length) => ({
  ids: Int32Array.from({ length }, () => rng.int(tinyConfig.vocabularySize)),
  mask: new Uint8Array(length).fill(1),
}));

async function scores(model: LocalPolicy): Promise<number[][]> {
  return (await model.score(rows)).map((row) => [...(row.logprob ?? [])]);
}

async function greedy(model: LocalPolicy): Promise<{ ids: number[]; logprobs: number[] }> {
  const talk = model.open({ seed: 1 });
  talk.extend([3, 1, 4]);
  const said = await talk.sample({ maxTokens: 8, temperature: 1 });
  return { ids: [...said.ids], logprobs: [...said.logprobs] };
}

describe("an adapter", () => {
  test("that is fresh gives the base model exactly, in scores and in what it says", async () => {
    const [plain, adapted] = [policy(baseWeights()), policy(baseWeights(), createAdapter(tinyConfig, { rank: 4 }))];
    expect(await scores(adapted)).toEqual(await scores(plain));
    expect(await greedy(adapted)).toEqual(await greedy(plain));
  });

  test.each([["all of them", LORA_TARGETS], ...LORA_TARGETS.map((target) => [target, [target]] as const)] as [
    string,
    readonly LoraTarget[],
  ][])("merged into the weights equals the adapted model: %s", async (_, targets) => {
    const adapter = learned({ targets });
    const merged = baseWeights();
    mergeAdapter(tinyConfig, merged, adapter);
    const [before, one, other] = await Promise.all(
      [policy(baseWeights()), policy(baseWeights(), adapter), policy(merged)].map(scores),
    );
    expect(one).not.toEqual(before);
    one?.forEach((row, at) => row.forEach((value, t) => expect(other?.[at]?.[t]).toBeCloseTo(value, 4)));
  });

  test("is heard when sampling: what is said has the log-probabilities that scoring gives", async () => {
    const adapted = policy(baseWeights(), learned());
    const talk = adapted.open({ seed: 7 });
    talk.extend([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]);
    const said = await talk.sample({ maxTokens: 10 });
    const [scored] = await adapted.score([{ ids: talk.tokens }]);
    said.logprobs.forEach((value, at) => expect(scored?.logprob?.[11 + at]).toBeCloseTo(value, 4));
  });

  test("is heard in packed trees as in rows apart, and its heads with it", async () => {
    const opening = Array.from({ length: 40 }, (_, at) => (at * 7) % tinyConfig.vocabularySize);
    const alike = [1, 2, 3].map((last) => ({ ids: Int32Array.of(...opening, last, last + 3, last + 5) }));
    const adapter = learned({ heads: ["value", "quality"] });
    for (const name of ["value", "quality"]) adapter.weights.views[`${name}_head.weight`]?.fill(0.1);
    const [packed, apart] = (["always", "never"] as const).map((packing) => {
      const model = createLocalPolicy(tinyConfig, baseWeights(), { threads: 1, adapter, packing });
      open.push(model);
      return model;
    }) as [LocalPolicy, LocalPolicy];
    const statistics = ["logprob", "value", "quality"] as const;
    const [left, right] = [await packed.score(alike, { statistics }), await apart.score(alike, { statistics })];
    left.forEach((row, at) =>
      statistics.forEach((name) =>
        row[name]?.forEach((value, t) => expect(right[at]?.[name]?.[t]).toBeCloseTo(value, 4)),
      ),
    );
    const learning = alike.map((row) => ({ ...row, mask: new Uint8Array(row.ids.length).fill(1) }));
    expect((await packed.backward(learning, weighted)).tokensSaved).toBeGreaterThan(40);
    await apart.backward(learning, weighted);
    const norm = (values: Float32Array): number => Math.hypot(...values);
    const apartGradient = apart.core.gradient;
    const difference = packed.core.gradient.map((value, at) => value - (apartGradient[at] as number));
    expect(norm(difference) / norm(apartGradient)).toBeLessThan(1e-4);
  });

  test("one matrix by hand", () => {
    const adapter = createAdapter(tinyConfig, { rank: 2, alpha: 6, targets: ["v_proj"] });
    const down = adapter.weights.views["model.layers.0.self_attn.v_proj.lora_A.weight"] as Float32Array;
    const up = adapter.weights.views["model.layers.0.self_attn.v_proj.lora_B.weight"] as Float32Array;
    down.fill(0);
    // Column 0 of A is (1, 2), row 0 of B is (5, 7): (alpha / rank) B A = 3 (5 * 1 + 7 * 2) = 57.
    down.set([1], 0);
    down.set([2], tinyConfig.hiddenSize);
    up.set([5, 7], 0);
    const weights = createWeights(tinyConfig);
    weights.views["model.layers.0.self_attn.v_proj.weight"]?.set([100, 200]);
    mergeAdapter(tinyConfig, weights, adapter);
    expect([...(weights.views["model.layers.0.self_attn.v_proj.weight"] ?? [])].slice(0, 3)).toEqual([157, 200, 0]);
  });
});

describe("learning with an adapter", () => {
  test("only its parameters have gradients and moments", () => {
    const adapted = policy(baseWeights(), createAdapter(tinyConfig, { rank: 2, targets: ["q_proj"] }));
    // Two layers, A is 2 x 16 and B is 32 x 2: 2 * (32 + 64) = 192.
    expect(adapted.core.gradient).toHaveLength(192);
    expect(adapted.core.state.first).toHaveLength(192);
    expect(loraShapes(tinyConfig, { rank: 2, alpha: 4, targets: ["q_proj"] }).size).toBe(4);
  });

  test("its gradient equals differences of the loss", async () => {
    const adapter = learned();
    const model = policy(baseWeights(), adapter);
    await model.backward(rows, weighted);
    const gradient = model.core.gradient.slice();
    const value = async (): Promise<number> => {
      const { loss } = await model.backward(rows, weighted);
      model.discard();
      return loss;
    };
    const source = createRng("places");
    for (let trial = 0; trial < tries(6, 16); trial += 1) {
      const at = source.int(adapter.weights.flat.length);
      const held = adapter.weights.flat[at] as number;
      const step = 1 / 128;
      adapter.weights.flat[at] = held + step;
      const up = await value();
      adapter.weights.flat[at] = held - step;
      const down = await value();
      adapter.weights.flat[at] = held;
      const slope = (up - down) / (2 * step);
      expect(Math.abs((gradient[at] as number) - slope)).toBeLessThan(0.02 + 0.03 * Math.abs(slope));
    }
  });

  test("the loss falls, the base stays as it was, and a head learns beside it", async () => {
    const weights = baseWeights();
    const before = weights.flat.slice();
    const adapter = createAdapter(tinyConfig, { rank: 4, heads: ["value"] });
    const model = policy(weights, adapter);
    expect(model.statistics).toContain("value");
    const both: Objective = {
      needs: ["logprob", "value"],
      compute: ({ logprob = [], value = [] }) => ({
        loss:
          -logprob.flatMap((row) => [...row]).reduce((sum, x) => sum + x, 0) +
          value.flatMap((row) => [...row]).reduce((sum, x) => sum + (x - 2) ** 2, 0),
        weights: {
          logprob: logprob.map((row) => row.map(() => -1)),
          value: value.map((row) => row.map((x) => 2 * (x - 2))),
        },
      }),
    };
    const losses: number[] = [];
    for (let update = 0; update < 30; update += 1) {
      losses.push((await model.backward(rows, both)).loss);
      await model.step({ learningRate: 0.02, clipNorm: 1 });
    }
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) * 0.7);
    expect(weights.flat).toEqual(before);
    const [row] = await model.score(rows, { statistics: ["value"] });
    expect(row?.value?.[3]).toBeGreaterThan(0.5);
  });
});

test("what cannot be is refused by name", () => {
  expect(() => createAdapter(tinyConfig, { rank: 0 })).toThrow("rank is 0");
  expect(() => createAdapter(tinyConfig, { rank: 2, alpha: -1 })).toThrow("alpha is -1");
  expect(() => createAdapter(tinyConfig, { rank: 2, targets: [] })).toThrow("targets are empty");
  expect(() => createAdapter(tinyConfig, { rank: 2, targets: ["lm_head" as LoraTarget] })).toThrow('"lm_head"');
  const other = createAdapter({ ...tinyConfig, hiddenSize: 32 }, { rank: 2 });
  expect(() => createLocalPolicy(tinyConfig, baseWeights(), { adapter: other })).toThrow(
    /"model\.layers\.0\.self_attn\.q_proj\.lora_A\.weight" is \[2, 32\]; it must be \[2, 16\]/,
  );
  const deeper = createAdapter({ ...tinyConfig, layers: 3 }, { rank: 2 });
  expect(() => createLocalPolicy(tinyConfig, baseWeights(), { adapter: deeper })).toThrow(/has no place for/);
});
