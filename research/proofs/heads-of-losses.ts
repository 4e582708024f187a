/**
 * Bebop where the model is unsure: draft heads by total variation and by cross-entropy, for random models of 29 words, one a seed.
 * The same rows, places held out, updates and rate; nothing but the loss differs.
 *
 *     npx tsx research/proofs/heads-of-losses.ts --seeds 561,562,563,564,565
 */
import { parseArgs } from "node:util";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { trainDraftHeads } from "../../packages/policy/src/policy/local/draft/train-heads.ts";
import type { LocalPolicy } from "../../packages/policy/src/policy/local/local-policy.ts";
import { parameterShapes, type ModelConfig } from "../../packages/policy/src/policy/local/model-config.ts";
import { wrapModel } from "../../packages/policy/src/policy/local/open-model.ts";
import { createWeights } from "../../packages/policy/src/policy/local/weights.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "561,562,563,564,565" },
    rate: { type: "string", default: "0.01" },
    steps: { type: "string", default: "600" },
  },
});
const seeds = values.seeds.split(",").map(Number);
const LOSSES = ["ce", "tv"] as const;
const ROWS = 160;
const DEPTH = 4;

const config: ModelConfig = {
  form: "qwen3",
  vocabularySize: 29,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 8,
  intermediateSize: 24,
  contextLength: 160,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

async function randomModel(seed: number): Promise<LocalPolicy> {
  const rng = createRng(`heads of losses ${seed}`);
  const weights = createWeights(config);
  for (const [name, shape] of parameterShapes(config)) {
    // Large enough that some words are likelier than others.
    const isNorm = shape.length === 1;
    const view = weights.views[name] as Float32Array;
    for (let at = 0; at < view.length; at += 1) view[at] = Number(isNorm) + (isNorm ? 0.2 : 0.5) * rng.normal();
  }
  return await wrapModel({ config, weights }, { threads: 1 });
}

/** What it says at temperature 1 after a few words by lot. */
async function saidBy(model: LocalPolicy, seed: number): Promise<{ ids: Int32Array; mask: Uint8Array }[]> {
  const rng = createRng(`read ${seed}`);
  return await Promise.all(
    Array.from({ length: ROWS }, async (_, number) => {
      const talk = model.open({ seed: `${seed} ${number}` });
      const read = Array.from({ length: 1 + rng.int(20) }, () => rng.int(config.vocabularySize));
      talk.extend(read);
      await talk.sample({ maxTokens: 60 });
      const ids = Int32Array.from(talk.tokens);
      return { ids, mask: Uint8Array.from(ids, (__, at) => Number(at >= read.length)) };
    }),
  );
}

const print = (line: string): void => void process.stdout.write(`${line.replaceAll("-0.", "−0.")}\n`);
const found: Record<(typeof LOSSES)[number], { readonly tokens: number; readonly first: number }[]> = {
  ce: [],
  tv: [],
};
for (const seed of seeds) {
  const model = await randomModel(seed);
  const rows = await saidBy(model, seed);
  for (const loss of LOSSES) {
    const { tokensPerPass: tokens, accepted } = await trainDraftHeads(model, rows, { loss, steps: Number(values.steps), depth: DEPTH, learningRate: Number(values.rate), seed, threads: 1 }); // prettier-ignore
    found[loss].push({ tokens, first: accepted[0] ?? Number.NaN });
    print(
      `seed ${seed}, ${loss}: kept ${accepted.map((share) => share.toFixed(3)).join(", ")}; ${tokens.toFixed(3)} tokens a pass`,
    );
  }
  await model.close();
}
for (const measure of ["tokens", "first"] as const) {
  const less = tInterval(found.tv.map((one, at) => one[measure] - (found.ce[at]?.[measure] ?? Number.NaN)));
  print(`${measure}, total variation less cross-entropy: ${less.mean.toFixed(4)} [${less.low.toFixed(4)}, ${less.high.toFixed(4)}], ${seeds.length} seeds`); // prettier-ignore
}
