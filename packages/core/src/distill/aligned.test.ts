import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tinyConfig } from "../../../../test/support/tiny-model.ts";
import { trainBytePair } from "limbeck-policy/policy/local/byte-pair";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { createModel, openModel } from "limbeck-policy/policy/local/open-model";
import { createTokenizer } from "limbeck-policy/policy/local/tokenizer";
import { aligned } from "./aligned.ts";
import { alignedScorer, textsByModel } from "./aligned-scorer.ts";

// Two tokenizers that learned from different texts: they cut the same words in different places.
const ours = trainBytePair(["go to shelf one", "go to shelf two", "take the cup"], { vocabularySize: 300 });
const theirs = trainBytePair(["the shelf the cup", "one cup two cups", "toe tops"], { vocabularySize: 290 });
const TEXT = "go to shelf two\ntake the cup é🙂";

let folder = "";
let student: LocalModel;
let teacher: LocalModel;

async function write(name: string, tokenizer: typeof ours, seed: number): Promise<LocalModel> {
  const model = await createModel({ ...tinyConfig, vocabularySize: 304 }, { seed, tokenizer, threads: 1 });
  await model.save(join(folder, name), { optimiser: false });
  await model.close();
  return await openModel(join(folder, name), { threads: 1 });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-aligned-"));
  student = await write("student", ours, 1);
  teacher = await write("teacher", theirs, 2);
});
afterAll(async () => {
  await student.close();
  await teacher.close();
  await rm(folder, { recursive: true, force: true });
});

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

test("the log-probability of a text stays what the teacher says of it, whoever cuts it", async () => {
  const made = await aligned.create(student, { start: student.weights, decay: 0, source: join(folder, "teacher") });
  const ids = student.tokenizer?.encode(TEXT) as Int32Array;
  const [said] = await made.scorer.score([{ ids }]);
  const cut = teacher.tokenizer?.encode(TEXT) as Int32Array;
  const [own] = await teacher.score([{ ids: cut }]);
  expect([...cut]).not.toEqual([...ids]);
  expect(said?.logprob).toHaveLength(ids.length);
  // Ours has no prediction for its first token, so its share is left out; it is one letter of a span of "go".
  expect(sum(said?.logprob ?? [])).toBeLessThan(0);
  expect(sum(said?.logprob ?? [])).toBeGreaterThanOrEqual(sum(own?.logprob ?? []) - 1e-4);
  await made.close?.();
});

test("with the same tokenizer on both sides it is that model, token by token", async () => {
  const tokenizer = student.tokenizer as NonNullable<LocalModel["tokenizer"]>;
  const scorer = alignedScorer({ tokenizer, score: textsByModel(student, tokenizer) });
  const ids = tokenizer.encode(TEXT);
  const mask = Uint8Array.from(ids, (_, at) => (at > 2 ? 1 : 0));
  const [said] = await scorer.score([{ ids, mask }]);
  const [own] = await student.score([{ ids, mask }]);
  // Tokens that are parts of one letter share what their span is worth.
  const whole = [...ids.keys()].filter((at) => !tokenizer.decode([ids[at] as number]).includes("\uFFFD"));
  for (const at of whole) expect(said?.logprob?.[at]).toBeCloseTo(own?.logprob?.[at] ?? 1, 4);
  expect(sum(said?.logprob ?? [])).toBeCloseTo(sum(own?.logprob ?? []), 3);
});

test("shares by surprise follow the policy's own log-probabilities inside a span", async () => {
  const tokenizer = student.tokenizer as NonNullable<LocalModel["tokenizer"]>;
  const ids = tokenizer.encode(TEXT);
  // The whole text as one piece of log-probability -10.
  const score = () => Promise.resolve([{ texts: [TEXT], logprobs: [-10] }]);
  const scorer = alignedScorer({ tokenizer, score, share: "surprise", policy: student });
  const [said] = await scorer.score([{ ids }]);
  const [own] = await student.score([{ ids }]);
  const all = sum(own?.logprob ?? []);
  for (const [at, value] of (said?.logprob ?? []).entries()) {
    expect(value).toBeCloseTo((10 * (own?.logprob?.[at] ?? 0)) / -all, 4);
  }
});

test("special tokens stay special where both have them, and their names in a text stay text", async () => {
  const tokenizer = await createTokenizer(ours);
  const other = await createTokenizer(theirs);
  const [name = "", id = 0] = [...tokenizer.specials][0] ?? [];
  expect(other.specials.has(name)).toBe(true);
  const ids = Int32Array.from([id, ...tokenizer.encode(`say ${name}`), id]);
  const seen: number[][] = [];
  const spy = {
    statistics: ["logprob"] as const,
    score: (rows: readonly { readonly ids: Int32Array }[]) => {
      seen.push(...rows.map((row) => [...row.ids]));
      return Promise.resolve(rows.map((row) => ({ logprob: new Float32Array(row.ids.length) })));
    },
  };
  await alignedScorer({ tokenizer, score: textsByModel(spy, other) }).score([{ ids }]);
  const special = other.specials.get(name);
  expect(seen[0]?.filter((one) => one === special)).toHaveLength(2);
});

test("other words than the sampled ones are refused, and so is a text that was changed", async () => {
  const tokenizer = student.tokenizer as NonNullable<LocalModel["tokenizer"]>;
  const score = () => Promise.resolve([{ texts: ["GO"], logprobs: [-1] }]);
  const scorer = alignedScorer({ tokenizer, score });
  const ids = tokenizer.encode("go");
  await expect(scorer.score([{ ids }])).rejects.toThrow(/spell another text/);
  await expect(scorer.score([{ ids }], { statistics: ["candidates"] })).rejects.toThrow(/sampled words/);
});
