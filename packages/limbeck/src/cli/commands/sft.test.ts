import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-sft-"));
  await writeTinyModel(join(folder, "base"));
  const chats = ["yes", "no", "the cat", "the dog"].flatMap((word) =>
    [0, 1, 2].map((copy) => ({
      id: `${word} ${copy}`,
      messages: [
        { role: "user", content: `say ${word}` },
        { role: "assistant", content: word },
      ],
    })),
  );
  await writeFile(join(folder, "chats.jsonl"), chats.map((chat) => `${JSON.stringify(chat)}\n`).join(""));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], options: FakeOptions = {}) => limbeck(words, { cwd: folder, ...options });
const sft = (words: readonly string[], options: FakeOptions = {}) =>
  run(["sft", "--model", "base", "--in", "chats.jsonl", "--threads", "1", "--batch", "4", ...words], options);

type Event = Record<string, unknown>;
const steps = (objects: Event[]): unknown[] =>
  objects.filter(({ event }) => event === "step").map(({ step, loss, gradientNorm }) => [step, loss, gradientNorm]);

test("trains on what the assistant said, measures what was held out, and saves a model that can be opened", async () => {
  const { code, objects, err } = await sft([
    "--out",
    "tuned",
    "--steps",
    "30",
    "--learning-rate",
    "0.02",
    "--held-out",
    "0.25",
    "--json",
  ]);
  expect([code, err]).toEqual([0, ""]);
  const events = objects();
  expect(events[0]).toMatchObject({
    event: "start",
    trajectories: 12,
    rows: 9,
    heldOutRows: 3,
    from: 0,
    steps: 30,
    cutRows: 0,
  });
  expect(Number(events[0]?.["trainedTokens"])).toBeLessThan(Number(events[0]?.["tokens"]) / 2);
  const losses = events.filter(({ event }) => event === "step").map(({ loss }) => Number(loss));
  expect(losses).toHaveLength(30);
  expect(losses.at(-1)).toBeLessThan(0.5 * (losses[0] ?? 0));
  const end = events.at(-1);
  expect(end).toMatchObject({ event: "end", step: 30, out: join(folder, "tuned") });
  expect(Number(end?.["heldOutLoss"])).toBeLessThan(Number(events[0]?.["heldOutLoss"]));
  const said = await run(["sample", "--model", "tuned", "--prompt", "say no", "--chat", "--max-tokens", "1", "--json"]);
  expect(said.code).toBe(0);
});

test("a resumed training equals the uninterrupted one, to the last bit of the file", async () => {
  const words = ["--schedule", "constant", "--held-out", "0", "--json"];
  const whole = await sft(["--out", "whole", "--steps", "6", ...words]);
  const half = await sft(["--out", "half", "--steps", "3", ...words]);
  const rest = await sft(["--out", "half", "--steps", "6", "--resume", ...words]);
  expect([whole.code, half.code, rest.code]).toEqual([0, 0, 0]);
  expect([...steps(half.objects()), ...steps(rest.objects())]).toEqual(steps(whole.objects()));
  const weights = (name: string) => readFile(join(folder, name, "model.safetensors"));
  expect((await weights("half")).equals(await weights("whole"))).toBe(true);
});

test("one-token rollouts learn the same rows, resume exactly, and are another training than cross-entropy", async () => {
  const words = ["--objective", "otr", "--schedule", "constant", "--learning-rate", "0.02", "--held-out", "0.25"];
  const whole = await sft(["--out", "whole", "--steps", "6", "--json", ...words]);
  expect([whole.code, whole.err]).toEqual([0, ""]);
  const events = whole.objects();
  expect(Number(events.at(-1)?.["heldOutLoss"])).toBeLessThan(Number(events[0]?.["heldOutLoss"]));
  await sft(["--out", "half", "--steps", "3", ...words]);
  await sft(["--out", "half", "--steps", "6", "--resume", ...words]);
  const weights = (name: string) => readFile(join(folder, name, "model.safetensors"));
  expect((await weights("half")).equals(await weights("whole"))).toBe(true);
  const other = await sft(["--out", "half", "--steps", "9", "--resume", ...words.slice(2)]);
  expect(other.err).toContain('objective was "otr"');
});

test("resuming before the first checkpoint starts; with other settings or rows it is refused by name", async () => {
  const words = ["--out", "tuned", "--steps", "2", "--resume"];
  expect((await sft(words)).code).toBe(0);
  const other = await sft([...words, "--learning-rate", "0.5"]);
  expect([other.code, other.err]).toEqual([2, expect.stringMatching(/learningRate was 0\.0003/)]);
  const longer = await sft(["--out", "tuned", "--steps", "9", "--resume"]);
  expect([longer.code, longer.err]).toEqual([2, expect.stringMatching(/steps was 2/)]);
  const rows = await sft([...words, "--held-out", "0.5"]);
  expect([rows.code, rows.err]).toEqual([2, expect.stringMatching(/the rows were others/)]);
  const unasked = await sft(["--out", "tuned", "--steps", "2"]);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringMatching(/is there already/)]);
  const foreign = await sft(["--out", "base", "--steps", "2", "--resume"]);
  expect([foreign.code, foreign.err]).toEqual([3, expect.stringMatching(/no training of\s+limbeck sft/)]);
});

test("an adapter learns in the layout of PEFT, resumes, and merges into a model that says the same", async () => {
  const words = [
    "--lora",
    "4",
    "--lora-targets",
    "q_proj,v_proj,down_proj",
    "--schedule",
    "constant",
    "--held-out",
    "0",
  ];
  const whole = await sft(["--out", "whole", "--steps", "6", "--merged", "merged", ...words, "--json"]);
  expect([whole.code, whole.err]).toEqual([0, ""]);
  // Per layer: q 4 x 16 + 32 x 4, v 4 x 16 + 16 x 4, down 4 x 24 + 16 x 4 = 192 + 128 + 160 = 480; two layers.
  expect(whole.objects()[0]).toMatchObject({ parameters: 960 });
  expect(JSON.parse(await readFile(join(folder, "whole", "adapter_config.json"), "utf8"))).toMatchObject({
    r: 4,
    lora_alpha: 8,
    target_modules: ["q_proj", "v_proj", "down_proj"],
    base_model_name_or_path: "base",
  });
  await sft(["--out", "half", "--steps", "3", ...words]);
  const rest = await sft(["--out", "half", "--steps", "6", "--resume", ...words, "--json"]);
  expect(steps(rest.objects())).toEqual(steps(whole.objects()).slice(3));
  const scored = async (...model: string[]): Promise<number> => {
    const { objects } = await run(["score", "--model", ...model, "--in", "-", "--json"], {
      input: '{"text": "say yes"}',
    });
    return Number(objects()[0]?.["sum"]);
  };
  const [base, adapted, beside, merged] = [
    await scored("base"),
    await scored("base", "--adapter", "whole"),
    await scored("whole"),
    await scored("merged"),
  ];
  expect(Math.abs(adapted - base)).toBeGreaterThan(1e-3);
  expect(beside).toBe(adapted);
  expect(merged).toBeCloseTo(adapted, 4);
});

test("further files may follow, with the same ids, and the gradient may go unclipped", async () => {
  await cp(join(folder, "chats.jsonl"), join(folder, "more.jsonl"));
  const words = ["--in", "chats.jsonl", "more.jsonl", "--out", "tuned", "--steps", "1", "--clip-norm", "0", "--json"];
  const { code, objects } = await run(["sft", "--model", "base", "--threads", "1", ...words]);
  expect([code, objects()[0]?.["trajectories"]]).toEqual([0, 24]);
});

test("Ctrl-C ends it with 130", async () => {
  const stop = new AbortController();
  stop.abort("SIGINT");
  expect((await sft(["--out", "tuned", "--steps", "2"], { signal: stop.signal })).code).toBe(130);
});

test("a person sees what is trained on and what came of it", async () => {
  const { out, err } = await sft(["--out", "tuned", "--steps", "1", "--held-out", "0.1"]);
  expect(err).toMatch(/11 rows, \d+ trained tokens of \d+; [\d,]+ parameters learn; 1 update/);
  expect(out).toMatch(/^✓ 1 update in tuned, held-out loss [\d.]+ \(0 ms\)\n$/);
});

test.each([
  [["sft", "--in", "chats.jsonl", "--out", "x"], 2, /needs --model DIR/],
  [["sft", "--model", "base", "--out", "x"], 2, /needs --in FILE/],
  [["sft", "--model", "base", "--in", "chats.jsonl"], 2, /needs --out DIR/],
  [["sft", "--model", "base", "--in", "nowhere", "--out", "x"], 3, /Cannot read "nowhere"/],
  [["sft", "--model", "base", "--in", "bad.jsonl", "--out", "x"], 3, /line 2/],
  [["sft", "--model", "nowhere", "--in", "chats.jsonl", "--out", "x"], 3, /config\.json/],
  [["sft", "--model", "base", "--in", "chats.jsonl", "--out", "x", "--merged", "y"], 2, /give --lora RANK too/],
  [["sft", "--model", "base", "--in", "chats.jsonl", "--out", "x", "--lora", "2", "--lora-targets", "all"], 2, /"all"/],
  [["sft", "--model", "base", "--in", "chats.jsonl", "--out", "x", "--schedule", "cosin"], 2, /Did you mean "cosine"/],
  [["sft", "--model", "base", "--in", "chats.jsonl", "--out", "x", "--warmup", "99"], 2, /at most the \d+ steps/],
  [["sft", "--model", "base", "--in", "chats.jsonl", "--out", "x", "--successful"], 3, /nothing to train on/],
] as [string[], number, RegExp][])("%j is refused", async (words, wanted, message) => {
  await writeFile(join(folder, "bad.jsonl"), '{"messages": [{"role": "user", "content": "x"}]}\nnonsense\n');
  const { code, err } = await run(words);
  expect([code, err]).toEqual([wanted, expect.stringMatching(message)]);
});
