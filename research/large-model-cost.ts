/**
 * What one LoRA update of a model of the 0.5B class costs on this machine: `npx tsx research/large-model-cost.ts`. Random
 * weights in the shape of Qwen3-0.6B, since a download needs a network; the arithmetic is that of the real one.
 */
import { parseArgs } from "node:util";
import { objectives } from "limbeck/update";
import { createAdapter, createModel, type ModelConfig } from "limbeck/local";

const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "64" },
    rows: { type: "string", default: "1" },
    rank: { type: "string", default: "8" },
    threads: { type: "string", default: "2" },
    /** Fewer layers make a quick trial. */
    layers: { type: "string", default: "28" },
    vocabulary: { type: "string", default: "151936" },
  },
});

const config: ModelConfig = {
  form: "qwen3",
  vocabularySize: Number(values.vocabulary),
  hiddenSize: 1_024,
  layers: Number(values.layers),
  heads: 16,
  keyValueHeads: 8,
  headSize: 128,
  intermediateSize: 3_072,
  contextLength: 2_048,
  ropeTheta: 1_000_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

let begun = performance.now();
const say = (what: string): void => {
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const mebibytes = (process.resourceUsage().maxRSS / 1_024).toFixed(0);
  process.stdout.write(`${what}: ${seconds} s, ${mebibytes} MiB at most\n`);
  begun = performance.now();
};

const adapter = createAdapter(config, { rank: Number(values.rank) });
const model = await createModel(config, { seed: 1, threads: Number(values.threads), adapter });
say(`made ${model.weights.flat.length} parameters, ${adapter.weights.flat.length} of an adapter`);
const length = Number(values.tokens);
const row = (at: number): { ids: Int32Array; mask: Uint8Array } => ({
  ids: Int32Array.from({ length }, (_, place) => (at * 7_919 + place * 31) % config.vocabularySize),
  mask: Uint8Array.from({ length }, (_, place) => (place > length / 2 ? 1 : 0)),
});
const rows = Array.from({ length: Number(values.rows) }, (_, at) => row(at));
for (let update = 1; update <= 2; update += 1) {
  const { loss } = await model.backward(rows, objectives["cross-entropy"].create());
  say(`backward ${update} of ${rows.length} x ${length} tokens, loss ${loss.toFixed(3)}`);
  await model.step({ learningRate: 1e-4 });
  say(`step ${update}`);
}
const talk = model.open({ seed: 1 });
talk.extend(rows[0]?.ids ?? []);
const { ids } = await talk.sample({ maxTokens: 8 });
say(`read ${length} tokens and sampled ${ids.length}`);
await model.close();
