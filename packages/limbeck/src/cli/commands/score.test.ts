import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-score-"));
  await writeTinyModel(join(folder, "model"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const score = (words: readonly string[], input = "") =>
  limbeck(["score", "--model", "model", "--threads", "1", ...words], { cwd: folder, input });

const lines = (...objects: unknown[]): string => objects.map((object) => `${JSON.stringify(object)}\n`).join("");

test("prints the log-probabilities that the policy gives, line by line", async () => {
  await writeFile(
    join(folder, "rows.jsonl"),
    `${lines({ ids: [1, 2, 3], note: "kept out" })}\n${lines({ text: "the cat" })}`,
  );
  const { code, objects } = await score(["--in", "rows.jsonl", "--entropy", "--json"]);
  expect(code).toBe(0);
  const model = await openModel(join(folder, "model"), { threads: 1 });
  try {
    const ids = [Int32Array.of(1, 2, 3), model.tokenizer?.encode("the cat") ?? new Int32Array()];
    const wanted = await model.score(
      ids.map((row) => ({ ids: row })),
      { statistics: ["logprob", "entropy"] },
    );
    expect(objects()).toEqual(
      wanted.map(({ logprob = [], entropy = [] }, at) => {
        const sum = [...logprob].reduce((total, value) => total + value, 0);
        return {
          line: at === 0 ? 1 : 3,
          ids: [...(ids[at] ?? [])],
          logprobs: [null, ...[...logprob].slice(1)],
          entropy: [null, ...[...entropy].slice(1)],
          sum,
          mean: sum / ((ids[at]?.length ?? 0) - 1),
        };
      }),
    );
  } finally {
    await model.close();
  }
});

test("many rows come out in order, from standard input too", async () => {
  const rows = Array.from({ length: 150 }, (_, at) => ({
    ids: Array.from({ length: 1 + (at % 7) }, (__, t) => (at + t) % 288),
  }));
  const { code, objects, out } = await score(["--in", "-", "--json"], lines(...rows));
  expect(code).toBe(0);
  expect(objects().map(({ line, ids }) => [line, ids])).toEqual(rows.map(({ ids }, at) => [at + 1, ids]));
  expect(out.split("\n")[0]).toContain('"mean":null');
  const human = await score(["--in", "-"], lines({ ids: [4, 5] }));
  expect(human.out).toMatch(/^line 1: 2 tokens, sum -[\d.]+, mean -[\d.]+\n$/);
});

test.each([
  ["nonsense\n", /Line 2: it is not JSON/],
  [lines({ ids: [1, 288] }), /Line 2: token 288 at place 1 is not in the vocabulary; allowed: 0 to\s+287/],
  [lines({ ids: [1, -1] }), /token -1 at place 1/],
  [lines({ ids: [1, 2.5] }), /holds 2\.5 at place 1/],
  [lines({ ids: [] }), /Line 2: it has no tokens/],
  [lines({ ids: Array.from({ length: 161 }, () => 1) }), /it has 161 tokens; the model's context is 160/],
  [lines({ words: "x" }), /neither "ids", a list of tokens, nor "text"/],
  ["null\n", /neither "ids"/],
])("a faulty line is named, and what came before is printed: %j", async (bad, message) => {
  const { code, objects, err } = await score(["--in", "-", "--json"], lines({ ids: [1, 2] }) + bad);
  expect([code, objects().length]).toEqual([3, 1]);
  expect(err).toMatch(new RegExp(message.source.replaceAll('"', '\\\\?"')));
});

test.each([
  [["score", "--model", "model"], 2, /needs --in FILE/],
  [["score", "--in", "x"], 2, /needs --model DIR/],
  [["score", "--model", "model", "--in", "nowhere.jsonl"], 3, /Cannot read "nowhere\.jsonl"/],
  [["score", "--model", "model", "--in", "-"], 3, /no line to score/],
] as [string[], number, RegExp][])("%j is refused", async (words, wanted, message) => {
  const { code, err } = await limbeck(words, { cwd: folder });
  expect([code, err]).toEqual([wanted, expect.stringMatching(message)]);
});

/** Damages a copy of the model; what is wrong must be named before any work. */
const damages: Record<string, { damage: (path: string) => Promise<void>; message: RegExp }> = {
  "an unknown architecture": {
    damage: (path) => changeConfig(path, { architectures: ["MambaForCausalLM"] }),
    message: /MambaForCausalLM.*this engine runs/s,
  },
  "a tensor of the wrong shape": {
    damage: (path) => changeConfig(path, { intermediate_size: 32 }),
    message: /config\.json asks for/,
  },
  "a missing tensor": { damage: (path) => changeConfig(path, { num_hidden_layers: 3 }), message: /lacks/ },
  "missing weights": {
    damage: (path) => rm(join(path, "model.safetensors")),
    message: /has neither/,
  },
  "a header that claims 10 GB": {
    damage: (path) => changeWeights(path, (bytes) => bytes.writeBigUInt64LE(10_000_000_000n)),
    message: /not a sound safetensors file/,
  },
  "a corrupt header": {
    damage: (path) => changeWeights(path, (bytes) => bytes.write("nonsense", 8)),
    message: /not a sound safetensors file/,
  },
  "weights that are not numbers": {
    damage: (path) => changeWeights(path, (bytes) => bytes.fill(0xff, bytes.length - 4)),
    message: /must be finite|not finite/,
  },
};

test.each(Object.entries(damages))("%s is told with exit code 3", async (_, { damage, message }) => {
  const path = await mkdtemp(join(folder, "damaged-"));
  await cp(join(folder, "model"), path, { recursive: true });
  await damage(path);
  const { code, out, err } = await limbeck(["score", "--model", path, "--in", "-"], { input: '{"ids": [1]}' });
  expect([code, out, err.replaceAll(/\s+/g, " ")]).toEqual([3, "", expect.stringMatching(message)]);
});

async function changeConfig(path: string, change: object): Promise<void> {
  const file = join(path, "config.json");
  await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, "utf8")) as object), ...change }));
}

async function changeWeights(path: string, change: (bytes: Buffer) => unknown): Promise<void> {
  const file = join(path, "model.safetensors");
  const bytes = await readFile(file);
  change(bytes);
  await writeFile(file, bytes);
}
