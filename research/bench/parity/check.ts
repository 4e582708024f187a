/**
 * Second third of the parity check: reads what transformers wrote (`make.py`), compares, and writes models of its own for
 * the way back (`verify.py`).
 *
 *     npx tsx research/bench/parity/check.ts OUT
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import type { Objective, TrainRow } from "../../../packages/policy/src/policy/objective.ts";
import { readAdapter, saveAdapter } from "../../../packages/policy/src/policy/local/adapter-files.ts";
import { trainBytePair } from "../../../packages/policy/src/policy/local/byte-pair.ts";
import type { LocalModel } from "../../../packages/policy/src/policy/local/local-model.ts";
import type { ModelConfig } from "../../../packages/policy/src/policy/local/model-config.ts";
import { createModel, openModel } from "../../../packages/policy/src/policy/local/open-model.ts";
import {
  openSafetensors,
  type TensorToWrite,
  writeSafetensors,
} from "../../../packages/policy/src/policy/local/safetensors.ts";
import { viewsOf } from "../../../packages/policy/src/policy/local/weights.ts";

const LOGPROB_LIMIT = 1e-4;
const GRADIENT_LIMIT = 1e-3;
/** Of the one step on an adapter, as in `make.py`. */
const LEARNING_RATE = 0.01;

interface Case {
  readonly ids: readonly number[];
  readonly weights: readonly number[];
}

/** The log-probability of each row's tokens from the second on, and the gradient of their weighted sum, which is kept. */
async function compute(model: LocalModel, cases: readonly Case[]): Promise<Map<string, Float32Array>> {
  const rows = cases.map(({ ids }): TrainRow => {
    return { ids: Int32Array.from(ids), mask: new Uint8Array(ids.length).fill(1) };
  });
  const objective: Objective = {
    needs: ["logprob"],
    compute: ({ logprob = [] }) => {
      const weights = cases.map((entry) => Float64Array.from(entry.weights));
      const loss = logprob.reduce((total, row, at) => total + dot(row, weights[at] as Float64Array), 0);
      return { loss, weights: { logprob: weights } };
    },
  };
  const scored = await model.score(rows);
  await model.backward(rows, objective);
  const gradients = viewsOf(model.core.gradient.slice(), (model.adapter?.weights ?? model.weights).places);
  return new Map([
    ...scored.map(({ logprob }, at) => [`logprob.${at}`, (logprob as Float32Array).slice(1)] as const),
    ...Object.entries(gradients).map(([name, values]) => [`gradient.${name}`, values] as const),
  ]);
}

function dot(left: Float64Array, right: Float64Array): number {
  return left.reduce((total, value, at) => total + value * (right[at] as number), 0);
}

function norm(values: Float32Array): number {
  return Math.sqrt(values.reduce((total, value) => total + value * value, 0));
}

async function rowsOf(out: string, name: string): Promise<Case[]> {
  return JSON.parse(await readFile(join(out, name, "cases.json"), "utf8")) as Case[];
}

/** Says how far what was found is from what the other side wrote, and whether that is near enough. */
async function agrees(path: string, label: string, found: ReadonlyMap<string, Float32Array>): Promise<boolean> {
  const expected = await openSafetensors(path);
  try {
    let [logprob, gradient] = [0, 0];
    for (const key of expected.tensors.keys()) {
      const mine = found.get(key);
      if (mine === undefined) throw new Error(`${label}: Limbeck has no ${key}`);
      const theirs = new Float32Array(mine.length);
      await expected.readInto(key, theirs);
      const difference = mine.map((value, at) => value - (theirs[at] as number));
      if (key.startsWith("gradient")) gradient = Math.max(gradient, norm(difference) / Math.max(norm(theirs), 1e-12));
      else logprob = difference.reduce((most, value) => Math.max(most, Math.abs(value)), logprob);
    }
    const good = logprob <= LOGPROB_LIMIT && gradient <= GRADIENT_LIMIT && found.size === expected.tensors.size;
    const figures = `log-probability ${logprob.toExponential(2)}, gradient ${gradient.toExponential(2)}`;
    process.stdout.write(`${label}: ${figures}: ${good ? "agree" : "DIFFER"}\n`);
    return good;
  } finally {
    await expected.close();
  }
}

/** The folder as it was read, and the same folder saved anew, for the way back. */
async function check(out: string, name: string): Promise<boolean> {
  const model = await openModel(join(out, name), { threads: 1 });
  try {
    const cases = await rowsOf(out, name);
    const good = await agrees(join(out, `${name}.expected.safetensors`), name, await compute(model, cases));
    await model.save(join(out, `limbeck-saved-${name}`), { optimiser: false });
    await leave(out, `limbeck-saved-${name}`, cases);
    return good;
  } finally {
    await model.close();
  }
}

/** An adapter of PEFT: as it was read, after one step, and saved for the way back. */
async function checkAdapter(out: string, name: string): Promise<boolean> {
  const adapter = await readAdapter(join(out, name, "adapter"));
  const model = await openModel(join(out, name), { threads: 1, adapter });
  try {
    const cases = await rowsOf(out, name);
    const found = await compute(model, cases);
    await model.step({ learningRate: LEARNING_RATE });
    const after = [...(await compute(model, cases))].filter(([key]) => key.startsWith("logprob"));
    const all = new Map([...found, ...after.map(([key, values]) => [`after.${key}`, values] as const)]);
    const good = await agrees(join(out, `${name}.adapter.expected.safetensors`), `${name} with an adapter`, all);
    const folder = join(out, `adapter-of-${name}`);
    await saveAdapter(folder, adapter, { base: join(out, name) });
    await writeSafetensors(`${folder}.expected.safetensors`, after.map(flat));
    return good;
  } finally {
    await model.close();
  }
}

function flat([name, data]: readonly [string, Float32Array]): TensorToWrite {
  return { name, shape: [data.length], data, type: "F32" };
}

/** What Limbeck computes from a folder that it wrote. */
async function leave(out: string, name: string, cases: readonly Case[]): Promise<void> {
  const model = await openModel(join(out, name), { threads: 1 });
  const found = await compute(model, cases);
  const tensors = [...found].map(([key, data]) => {
    const shape = model.weights.places.get(key.replace("gradient.", ""))?.shape ?? [data.length];
    return { name: key, shape, data, type: "F32" as const };
  });
  await writeSafetensors(join(out, `${name}.expected.safetensors`), tensors);
  await writeFile(join(out, name, "cases.json"), JSON.stringify(cases));
  if (model.tokenizer !== undefined) await writeFile(join(out, name, "words.json"), JSON.stringify(words(model)));
  await model.close();
}

const PROSE = `The limbeck stood on the bench. "Don't touch it," she said, "it's been there 12,345 days!"
  Some lines are indented;	some hold tabs. Ångström, naïve, 東京, здравствуйте, 🙂🏽.`;

const SHAPE = { vocabularySize: 400, hiddenSize: 40, layers: 2, heads: 4, keyValueHeads: 2, headSize: 12 };
const REST = { intermediateSize: 72, contextLength: 160, ropeTheta: 20_000, normEpsilon: 1e-6 };
const WRITTEN: readonly (readonly [string, ModelConfig, "float32" | "bfloat16"])[] = [
  ["limbeck-qwen3", { form: "qwen3", ...SHAPE, ...REST, tiedEmbeddings: true }, "float32"],
  ["limbeck-llama", { form: "llama", ...SHAPE, ...REST, tiedEmbeddings: false }, "float32"],
  ["limbeck-qwen3-bfloat16", { form: "qwen3", ...SHAPE, ...REST, tiedEmbeddings: false }, "bfloat16"],
];

/** A folder as Limbeck saves it, and what Limbeck computes from it. */
async function write(out: string, [name, config, precision]: (typeof WRITTEN)[number]): Promise<void> {
  const folder = join(out, name);
  const tokenizer = trainBytePair([PROSE, PROSE], { vocabularySize: 330, singleDigits: config.tiedEmbeddings });
  const made = await createModel(config, { seed: name, tokenizer, threads: 1 });
  const rng = createRng(name);
  for (let at = 0; at < made.weights.flat.length; at += 1) {
    made.weights.flat[at] = rng.normal() * 0.2 + (at >= made.weights.matrices ? 1 : 0);
  }
  await made.save(folder, { precision });
  await made.close();
  const cases = [3, 31, 120].map((length): Case => {
    const ids = Array.from({ length }, () => rng.int(config.vocabularySize));
    return { ids, weights: ids.map((_, at) => (at === 0 ? 0 : rng.normal())) };
  });
  await leave(out, name, cases);
}

/** Texts with their tokens and a rendered chat, for the tokenizer library of the other side. */
function words({ tokenizer, chat }: LocalModel): unknown {
  const messages = [
    { role: "system", content: "Answer briefly." },
    { role: "user", content: "How many days?\n12,345" },
  ];
  const texts = [...PROSE.split(/(?<=[.!,;\n])/), PROSE, "  ", "x", "a1b22c333", "<|im_start|>user\nhi<|im_end|>"];
  return {
    texts: texts.map((text) => ({ text, ids: [...(tokenizer?.encode(text, { specials: "token" }) ?? [])] })),
    messages,
    chat: chat?.render(messages, { addGenerationPrompt: true }),
  };
}

const out = process.argv[2];
if (out === undefined)
  throw new Error("Give the folder that make.py wrote: npx tsx research/bench/parity/check.ts OUT");
const there = await readdir(out, { withFileTypes: true });
const names = there
  .filter(({ name }) => there.some((entry) => entry.name === `${name}.expected.safetensors`))
  .filter(({ name }) => !/^(limbeck|adapter-of)-/.test(name))
  .map(({ name }) => name)
  .sort();
const adapted = names.filter((name) => there.some((entry) => entry.name === `${name}.adapter.expected.safetensors`));
const results: boolean[] = [];
for (const name of names) results.push(await check(out, name));
for (const name of adapted) results.push(await checkAdapter(out, name));
for (const entry of WRITTEN) await write(out, entry);
const agree = results.length > 0 && results.every(Boolean);
const wrote = WRITTEN.length + names.length + adapted.length;
process.stdout.write(`${JSON.stringify({ models: names.length, adapters: adapted.length, agree, wrote })}\n`);
process.exitCode = agree ? 0 : 1;
