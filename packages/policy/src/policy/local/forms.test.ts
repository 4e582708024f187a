/** Every form on every path of the local policy, without another program. `test/parity.nightly.test.ts` asks transformers. */
import { afterEach, describe, expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { tinyConfig, tinyForms, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Objective } from "../objective.ts";
import { configJson, parseConfig } from "./config-file.ts";
import type { Packing } from "./batches.ts";
import { createLocalPolicy, type LocalPolicy } from "./local-policy.ts";
import { createAdapter, LORA_TARGETS, mergeAdapter } from "./lora.ts";
import { parameterShapes, type ModelConfig } from "./model-config.ts";
import { openModel, wrapModel } from "./open-model.ts";
import { copyWeights, createWeights, type Weights } from "./weights.ts";

const temporaryFolder = temporaryFolders();
const opened: { close(): Promise<void> }[] = [];
// At once, so that the next has their programs.
afterEach(async () => void (await Promise.all(opened.splice(0).map((policy) => policy.close()))));

function weightsOf(config: ModelConfig): Weights {
  const weights = createWeights(config);
  for (const [name, values] of Object.entries(tinyWeights(config))) weights.views[name]?.set(values);
  return weights;
}

function policyOf(config: ModelConfig, packing: Packing = "never", weights = weightsOf(config)): LocalPolicy {
  const policy = createLocalPolicy(config, weights, { threads: 1, packing });
  opened.push(policy);
  return policy;
}

const rng = createRng("forms");
const words = (length: number): number[] => Array.from({ length }, () => rng.int(tinyConfig.vocabularySize));
const distance = (left: ArrayLike<number>, right: ArrayLike<number>): number =>
  Math.hypot(...Array.from(left, (value, at) => value - (right[at] as number)));

const objective: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => {
    const weights = logprob.map((row) => row.map((_, at) => (at === 0 ? 0 : Math.sin(at))));
    return { loss: 0, weights: { logprob: weights } };
  },
};

describe.each(Object.entries(tinyForms))("%s", (_, config) => {
  test("what is said with a cache, in several turns and forks, scores the same without one", async () => {
    const policy = policyOf(config);
    const talk = policy.open({ seed: 1 });
    const said = [];
    for (const length of [50, 3]) {
      talk.extend(words(length));
      said.push(await talk.sample({ maxTokens: 6 }));
    }
    const fork = talk.fork(2);
    said.push(await fork.sample({ maxTokens: 6 }));
    const [row] = await policy.score([{ ids: fork.tokens }]);
    // 50, then 6 said and 3 heard, then 6 said.
    const places = [50, 59, 65];
    said.forEach(({ logprobs }, turn) =>
      logprobs.forEach((value, at) => {
        const scored = row?.logprob?.[(places[turn] as number) + at] as number;
        expect(Math.abs(value - scored)).toBeLessThan(1e-4);
      }),
    );
  });

  test("rows that begin alike have the same numbers and gradients packed as a tree and apart", async () => {
    const beginning = words(61);
    const rows = [9, 17, 2].map((length) => {
      const ids = Int32Array.from([...beginning, ...words(length)]);
      return { ids, mask: new Uint8Array(ids.length).fill(1) };
    });
    const results = [];
    for (const packing of ["always", "never"] as const) {
      const policy = policyOf(config, packing);
      const scored = await policy.score(rows);
      const { tokensSaved } = await policy.backward(rows, objective);
      expect(tokensSaved).toBe(packing === "always" ? 122 : 0);
      results.push({ scored, gradient: policy.core.gradient });
    }
    const [packed, flat] = results;
    packed?.scored.forEach(({ logprob = [] }, at) =>
      expect(distance(logprob, flat?.scored[at]?.logprob ?? [])).toBeLessThan(1e-4),
    );
    const size = Math.hypot(...(flat?.gradient ?? []));
    expect(distance(packed?.gradient ?? [], flat?.gradient ?? [])).toBeLessThan(1e-4 * size);
  });

  test("an adapter learns, and merged into the weights says what the adapted model says", async () => {
    const weights = weightsOf(config);
    const adapter = createAdapter(config, { rank: 2, seed: 3 });
    const policy = createLocalPolicy(config, weights, { threads: 1, adapter });
    opened.push(policy);
    const ids = Int32Array.from(words(70));
    const row = { ids, mask: new Uint8Array(ids.length).fill(1) };
    const [before] = await policy.score([row]);
    await policy.backward([row], objective);
    await policy.step({ learningRate: 0.05 });
    const [after] = await policy.score([row]);
    expect(distance(before?.logprob ?? [], after?.logprob ?? [])).toBeGreaterThan(0.1);
    const merged = copyWeights(weights);
    mergeAdapter(config, merged, adapter);
    const [plain] = await policyOf(config, "never", merged).score([row]);
    expect(distance(plain?.logprob ?? [], after?.logprob ?? [])).toBeLessThan(1e-3);
  });

  test("saved and opened again it is the same model, number by number", async () => {
    const folder = `${await temporaryFolder()}/model`;
    const model = await wrapModel({ config, weights: weightsOf(config) }, { threads: 1 });
    opened.push(model);
    await model.save(folder);
    const again = await openModel(folder, { threads: 1 });
    opened.push(again);
    expect(again.config).toEqual(config);
    expect(again.weights.flat).toEqual(model.weights.flat);
    expect(parseConfig(configJson(config, { rope_parameters: {} }), "x")).toEqual(config);
  });
});

/** The last log-probability of a row whose tokens are all 1, but for one that stands so many places before the end. */
async function lastOf(policy: LocalPolicy, odd: number): Promise<number> {
  const ids = new Int32Array(41).fill(1);
  ids[40 - odd] = 7;
  return (await policy.score([{ ids }]))[0]?.logprob?.[40] as number;
}

test("a window of three: the token before, and two more, decide what comes next; nothing further back does", async () => {
  const policy = policyOf({ ...tinyConfig, form: "mistral", layers: 1, window: { size: 3, layers: [0] } });
  const [near, last, beyond, far] = [1, 3, 4, 20];
  const same = await lastOf(policy, far);
  expect(await lastOf(policy, beyond)).toBe(same);
  expect(await lastOf(policy, last)).not.toBe(same);
  expect(await lastOf(policy, near)).not.toBe(same);
  // Two such layers look twice as far: two tokens more.
  const deep = policyOf({ ...tinyConfig, form: "mistral", window: { size: 3, layers: [0, 1] } });
  expect(await lastOf(deep, 5)).not.toBe(await lastOf(deep, far));
  expect(await lastOf(deep, 6)).toBe(await lastOf(deep, far));
});

test("Gemma's embeddings are scaled and its norms multiply by one plus the weight: worked out by hand", async () => {
  // Four numbers a token, so the scale is sqrt 4 = 2. All matrices are zero, so attention and feed-forward add nothing and
  // the stream stays 2 e. Token 0 is e = (1, 1, 1, 1): its stream has a mean square of 4, and with an epsilon of 12 the norm
  // divides by sqrt 16 = 4, which leaves 0.5. The last norm's weight is 1, so it multiplies by 2: (1, 1, 1, 1).
  // Logits by the shared embeddings: token 0 gives 4; token 1, which is (1, 1, 0, 0), gives 2.
  // log p(1) = 2 - ln(e^4 + e^2) = -(2 + ln(1 + e^-2)) = -2.126928
  const config: ModelConfig = {
    ...tinyForms.gemma3,
    vocabularySize: 2,
    hiddenSize: 4,
    heads: 1,
    keyValueHeads: 1,
    normEpsilon: 12,
  };
  const weights = createWeights(config);
  weights.views["model.embed_tokens.weight"]?.set([1, 1, 1, 1, 1, 1, 0, 0]);
  weights.views["model.norm.weight"]?.fill(1);
  const [row] = await policyOf(config, "never", weights).score([{ ids: Int32Array.of(0, 1) }]);
  expect(row?.logprob?.[1]).toBeCloseTo(-2.126_928, 5);
});

test("Gemma's feed-forward part is gated by gelu and normed before it is added: worked out by hand", async () => {
  // As above, with a last norm of weight 0 (it multiplies by 1) and a feed-forward part that is one number wide. The stream
  // (2, 2, 2, 2) is normed to (0.5, 0.5, 0.5, 0.5); gate and up give 4 * 0.5 * 0.5 = 1. gelu(1) is 0.5 (1 + tanh(0.797885 *
  // 1.044715)) = 0.841192. down writes 4 times that, 3.364768, into the first place: mean square 2.830416, and the norm
  // after it divides by sqrt 14.830416 = 3.851028: 0.873733. The stream (2.873733, 2, 2, 2) has a mean square of 5.064585,
  // so the last norm divides by sqrt 17.064585 = 4.130930. Logits: 8.873733 / 4.130930 = 2.148120 and 4.873733 / 4.130930
  // = 1.179815. log p(1) = -ln(1 + e^0.968305) = -1.290190
  const config: ModelConfig = {
    ...tinyForms.gemma3,
    vocabularySize: 2,
    hiddenSize: 4,
    layers: 1,
    heads: 1,
    keyValueHeads: 1,
    intermediateSize: 1,
    normEpsilon: 12,
  };
  const weights = createWeights(config);
  weights.views["model.embed_tokens.weight"]?.set([1, 1, 1, 1, 1, 1, 0, 0]);
  weights.views["model.layers.0.mlp.gate_proj.weight"]?.fill(0.5);
  weights.views["model.layers.0.mlp.up_proj.weight"]?.fill(0.5);
  weights.views["model.layers.0.mlp.down_proj.weight"]?.set([4, 0, 0, 0]);
  const [row] = await policyOf(config, "never", weights).score([{ ids: Int32Array.of(0, 1) }]);
  expect(row?.logprob?.[1]).toBeCloseTo(-1.290_19, 5);
});

test("where a form holds matrices as one, an adapter of their parts is one of the whole", () => {
  const targets = (form: ModelConfig, named = LORA_TARGETS): readonly string[] =>
    createAdapter(form, { rank: 2, targets: named }).lora.targets;
  expect(targets(tinyConfig)).toEqual(LORA_TARGETS);
  expect(targets(tinyForms.phi3)).toEqual(["qkv_proj", "o_proj", "gate_up_proj", "down_proj"]);
  expect(targets(tinyForms.phi3, ["v_proj", "qkv_proj"])).toEqual(["qkv_proj"]);
  expect(() => targets(tinyConfig, ["qkv_proj"])).toThrow("a model of this form has q_proj, k_proj");
});

test("parameters of a form are those that its folders hold", () => {
  const ofLayer = (config: ModelConfig): string[] =>
    [...parameterShapes({ ...config, layers: 1 }).keys()].filter((name) => name.startsWith("model.layers."));
  expect(ofLayer(tinyForms.phi3).map((name) => name.slice("model.layers.0.".length))).toEqual([
    "input_layernorm.weight",
    "self_attn.qkv_proj.weight",
    "self_attn.o_proj.weight",
    "post_attention_layernorm.weight",
    "mlp.gate_up_proj.weight",
    "mlp.down_proj.weight",
  ]);
  expect(ofLayer(tinyForms.qwen2).filter((name) => name.endsWith("bias"))).toHaveLength(3);
  expect(ofLayer(tinyForms.gemma3).filter((name) => name.includes("norm"))).toHaveLength(6);
});
