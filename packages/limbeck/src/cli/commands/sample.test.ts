import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-sample-"));
  await writeTinyModel(join(folder, "model"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sample = (words: readonly string[], input = "") =>
  limbeck(["sample", "--model", "model", "--threads", "1", ...words], { cwd: folder, input });

test("says the same as one long sample with the same seed, and scores it the same", async () => {
  const { code, objects } = await sample(["--prompt", "the cat", "--max-tokens", "12", "--seed", "5", "--json"]);
  expect(code).toBe(0);
  const [said] = objects() as [{ ids: number[]; logprobs: number[]; text: string }];
  const model = await openModel(join(folder, "model"), { threads: 1 });
  try {
    const talk = model.open({ seed: 5 });
    talk.extend(model.tokenizer?.encode("the cat") ?? []);
    const whole = await talk.sample({ maxTokens: 12, stop: model.stopIds.map((id) => [id]) });
    expect(said.ids).toEqual([...whole.ids]);
    expect(said.logprobs).toEqual([...whole.logprobs]);
    expect(said.text).toBe(model.tokenizer?.decode(whole.ids));
  } finally {
    await model.close();
  }
});

test("prints text that a terminal can bear, the same for the same seed", async () => {
  const words = ["--prompt", "the", "--max-tokens", "20", "--seed", "2", "--temperature", "1.5"];
  const [first, second] = [await sample(words), await sample(words)];
  expect([first.code, first.out]).toEqual([0, second.out]);
  expect(first.out.endsWith("\n")).toBe(true);
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  expect(first.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(first.err).toMatch(/20 tokens, ended by length, seed 2/);
});

test("a stop text ends it and is not shown, wherever tokens fall", async () => {
  const whole = (await sample(["--prompt", "say", "--max-tokens", "16", "--json"])).objects()[0]?.["text"] as string;
  const stop = whole.slice(3, 6);
  const { objects } = await sample(["--prompt", "say", "--max-tokens", "16", "--stop", stop, "--json"]);
  expect(objects()[0]).toMatchObject({ text: whole.slice(0, whole.indexOf(stop)), ending: "stop" });
});

test("reads standard input, and writes chats by the template", async () => {
  const [plain, chat] = [
    await sample(["--prompt", "-", "--max-tokens", "1", "--json"], "say yes"),
    await sample(["--prompt", "say yes", "--chat", "--system", "the cat", "--max-tokens", "1", "--json"]),
  ];
  const [short, long] = [plain, chat].map(({ objects }) => Number(objects()[0]?.["promptTokens"]));
  expect(long).toBeGreaterThan((short ?? 0) + 8);
});

test("a full context ends it", async () => {
  const words = ["--prompt", "the cat ".repeat(10), "--max-tokens", "200", "--temperature", "0", "--json"];
  const [said] = (await sample(words)).objects() as [{ ending: string; promptTokens: number; ids: number[] }];
  expect([said.ending, said.promptTokens + said.ids.length]).toEqual(["context", 160]);
});

test.each([
  [["sample", "--prompt", "x"], 2, /needs --model DIR/],
  [["sample", "--model", "model"], 2, /needs --prompt TEXT/],
  [["sample", "--model", "model", "--prompt", "x", "--system", "y"], 2, /give --chat too/],
  [["sample", "--model", "model", "--prompt", "x", "--temperature", "-1"], 2, /--temperature/],
  [["sample", "--model", "model", "--prompt", "x", "--top-p", "2"], 2, /from 0 to 1/],
  [["sample", "--model", "model", "--prompt", "x", "--max-tokens", "0"], 2, /whole number of at least 1/],
  [["sample", "--model", "nowhere", "--prompt", "x"], 3, /has no\s+config\.json/],
  [["sample", "--model", "model", "--adapter", "model", "--prompt", "x"], 3, /has no\s+adapter_config\.json/],
  [["sample", "--model", "model", "--prompt", ""], 3, /Nothing to continue/],
  [["sample", "--model", "model", "--prompt", "z".repeat(200)], 3, /model's context is 160/],
  [["sample", "--model", "broken", "--prompt", "x"], 3, /bad-json|is not JSON/],
] as [string[], number, RegExp][])("%j is refused", async (words, wanted, message) => {
  await writeTinyModel(join(folder, "broken"), 2).catch(() => undefined);
  await writeFile(join(folder, "broken", "config.json"), "{");
  const { code, err } = await limbeck(words, { cwd: folder });
  expect([code, err]).toEqual([wanted, expect.stringMatching(message)]);
});
