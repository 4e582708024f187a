import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { tinyConfig, tinyWeights } from "../../../../test/support/tiny-model.ts";
import { createRng } from "limbeck-base/base/rng";
import type { CheckedPolicy } from "./check.ts";
import { wrapModel } from "./local/open-model.ts";
import { createAdapter, type Adapter } from "./local/lora.ts";
import { createWeights } from "./local/weights.ts";
import { checkPolicy, policyContract, type PolicyLayer } from "./policy.contract.ts";

const runner = { describe, test };
/** One token, a part of a chunk, and more than a chunk of 32; by night in between too. */
const promptLengths = [1, 9, 34, 5, 17, 40].slice(0, tries(3, 6));
const given = { vocabularySize: tinyConfig.vocabularySize, promptLengths, updates: tries(6, 12) };

function local(adapter?: Adapter): Promise<CheckedPolicy> {
  const weights = createWeights(tinyConfig);
  for (const [name, values] of Object.entries(tinyWeights())) weights.views[name]?.set(values);
  return wrapModel({ config: tinyConfig, weights }, { threads: 1, ...(adapter === undefined ? {} : { adapter }) });
}

function adapted(): Promise<CheckedPolicy> {
  const adapter = createAdapter(tinyConfig, { rank: 4 });
  const rng = createRng("adapter");
  adapter.weights.flat.forEach((_, at) => (adapter.weights.flat[at] = rng.normal() * 0.1));
  return local(adapter);
}

policyContract({ name: "the local policy", policy: () => local(), ...given, runner });
policyContract({ name: "the local policy with an adapter", policy: adapted, ...given, runner });

/** The local policy with one habit changed. */
const spoilt = (change: (policy: CheckedPolicy) => Partial<CheckedPolicy>) => async (): Promise<CheckedPolicy> => {
  const policy = await local();
  return { ...policy, ref: policy.ref, ...change(policy) };
};

const breakages: Record<string, { layer: PolicyLayer; policy: () => Promise<CheckedPolicy>; message: RegExp }> = {
  "a seed that is ignored": {
    layer: "samples",
    policy: () => {
      let opened = 0;
      return spoilt((policy) => ({ open: () => policy.open({ seed: (opened += 1) }) }))();
    },
    message: /second conversation with the same seed differs/,
  },
  "a fork that is the original": {
    layer: "samples",
    policy: spoilt((policy) => ({
      open: (options) => {
        const talk = policy.open(options);
        return Object.defineProperties(
          {},
          { ...Object.getOwnPropertyDescriptors(talk), fork: { value: () => talk } },
        ) as typeof talk;
      },
    })),
    message: /breaks the contract|conversation-busy|is sampling/,
  },
  "scores that are not what was sampled": {
    layer: "scores",
    policy: spoilt((policy) => ({
      score: async (rows) =>
        (await policy.score?.(rows))?.map(({ logprob }) => ({
          logprob: logprob?.map((value) => value * 1.01) as Float32Array,
        })) ?? [],
    })),
    message: /Row \d: scored log-probability/,
  },
  "probable tokens of another distribution": {
    layer: "scores",
    policy: spoilt((policy) => ({
      topTokens: async (rows, options) =>
        (await policy.topTokens?.(rows, options))?.map((top) => ({ ...top, ids: top.ids.toReversed() })) ?? [],
    })),
    message: /Row \d, token \d/,
  },
  "learning that does nothing": {
    layer: "learns",
    policy: spoilt(() => ({ step: () => Promise.resolve({ step: 1, gradientNorm: 0 }) })),
    message: /The loss went from/,
  },
  "files that forget": {
    layer: "saves",
    policy: spoilt(() => ({ load: () => Promise.resolve() })),
    message: /A loaded policy's scores differs/,
  },
  "a missing layer": {
    layer: "scores",
    policy: async () => {
      const { score: _score, ...rest } = await local();
      return rest;
    },
    message: /has no `score`/,
  },
};

test.each(Object.entries(breakages))("notices %s", async (_, { layer, policy, message }) => {
  await expect(checkPolicy({ name: "spoilt", policy, ...given, layers: [layer] })).rejects.toThrow(message);
});

test("says what it checked", async () => {
  const { checked } = await checkPolicy({ name: "local", policy: () => local(), ...given, layers: ["scores"] });
  expect(checked).toEqual([
    "sampled log-probabilities equal scored ones",
    "the most probable tokens are those of the whole vocabulary",
  ]);
});
