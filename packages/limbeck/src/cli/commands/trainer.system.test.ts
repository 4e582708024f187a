import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { testTrainer, type TestTrainer } from "../../../../../test/support/trainer.ts";

let folder = "";
let trainer: TestTrainer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-trainer-command-"));
  await writeTinyModel(join(folder, "start"), 1, 1_024);
  trainer = await testTrainer({ model: join(folder, "start"), apiKey: "tml-secret" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SERVE = "trainer --model start --port 0 --for 0 --threads 1".split(" ");

test("says where it listens and how to train with it", async () => {
  const { code, out } = await limbeck(SERVE, { cwd: folder });
  expect(code).toBe(0);
  expect(out).toMatch(/Serving start\. Train with it:\n {2}limbeck train --trainer http:\/\/127\.0\.0\.1:\d+/);
  const keyed = await limbeck([...SERVE, "--json"], { cwd: folder, env: { LIMBECK_TRAINER_KEY: "tml-a" } });
  expect(keyed.objects()[0]).toMatchObject({ event: "listening", model: "start", key: true });
});

test("beyond this machine it needs a key", async () => {
  const { code, err } = await limbeck([...SERVE, "--host", "0.0.0.0"], { cwd: folder });
  expect(code).toBe(2);
  expect(err).toContain("LIMBECK_TRAINER_KEY");
});

const TRAIN = "train --recipe grpo --model start --steps 1 --report-tasks 1 --validate-every 0 --checkpoint-every 1";
const SMALL = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
const train = (words: readonly string[], key = "tml-secret") =>
  limbeck([...TRAIN.split(" "), ...SMALL, ...words], { cwd: folder, env: { TINKER_API_KEY: key } });

test("limbeck train uses it, and brings the model home", async () => {
  const { code, err, objects } = await train(["--trainer", trainer.url, "--dir", "runs/away", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  expect(objects().map(({ event }) => event)).toEqual(["start", "before", "notice", "update", "after", undefined]);
  // Three tokens are too few for an answer, which is said before the first update.
  expect(objects()[2]?.["message"]).toContain("answers were cut at 3 tokens");
  const words = ["sample", "--model", "runs/away/model", "--prompt", "the", "--max-tokens", "2", "--json"];
  expect((await limbeck(words, { cwd: folder })).code).toBe(0);
});

test("a wrong key, a model that is not served and an address without a trainer are told apart", async () => {
  const wrong = await train(["--trainer", trainer.url, "--dir", "runs/a"], "tml-other");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("TINKER_API_KEY")]);
  expect(wrong.err).not.toContain("tml-other");
  const model = await train(["--trainer", trainer.url, "--base-model", "huge", "--dir", "runs/b"]);
  expect([model.code, model.err]).toEqual([2, expect.stringContaining('It serves: "start"')]);
  const stray = await train(["--base-model", "start", "--dir", "runs/c"]);
  expect([stray.code, stray.err]).toEqual([2, expect.stringContaining("--trainer")]);
});
