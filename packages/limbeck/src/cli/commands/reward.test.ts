import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { signedEpisode } from "../../../../../test/support/signed-episodes.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { openStore } from "limbeck-store/store/open-store";
import { reward } from "./reward.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-reward-train-"));
  await writeTinyModel(join(folder, "model"));
  const store = openStore(join(folder, "runs"));
  const writer = await store.createRun({ id: "played", kind: "rollout", config: {} });
  for (let at = 0; at < 80; at += 1) await writer.append(signedEpisode(at));
  await writer.close();
  await store.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const train = (...words: string[]) =>
  limbeck(["reward", "train", "--model", "model", "--threads", "1", ...words], {
    cwd: folder,
    env: { LIMBECK_STORE: join(folder, "runs") },
  });

test("a run of the store becomes a scorer with a card; every printed field is documented", async () => {
  const small = ["--epochs", "4", "--batch", "8", "--learning-rate", "0.02"];
  const { code, err, objects } = await train("--run", "played", "--out", "scorer", ...small, "--json");
  expect([code, err]).toEqual([0, ""]);
  const fields = new Set(objects().flatMap((object) => Object.keys(object)));
  expect([...fields].filter((field) => !Object.hasOwn(reward.fields ?? {}, field))).toEqual([]);
  expect(objects().at(-1)).toMatchObject({ event: "end", card: { measures: { tasks: 4 } } });
  expect(await readFile(join(folder, "scorer", "SCORER.md"), "utf8")).toContain(
    "| best of | scorer | likelihood | least word | length | random |",
  );
  expect((await train("--run", "played", "--out", "scorer")).err).toContain("is there already");
});

test.each([
  [["--out", "x"], "needs --run ID"],
  [["--run", "played", "--out", "x", "--loss", "hinge"], 'No value of --loss "hinge". Known: bce, mse, pairs'],
  [
    ["--run", "played", "--out", "x", "--kind", "tree"],
    'No value of --kind "tree". Known: adapter, autoregressive, states',
  ],
  [["--run", "played", "--out", "x", "--kind", "states", "--loss", "pairs"], "A head on states learns by bce"],
  [["--run", "played", "--out", "x", "--learning-rate", "fast"], '--learning-rate must be a number; got "fast"'],
  [["--run", "played", "--out", "x", "--labels", "right"], "There are 0 labelled episodes"],
])("refused: %j", async (words, message) => {
  expect((await train(...words)).err.replaceAll(/\s+/g, " ")).toContain(message);
});

test("an autoregressive reward model is learnt from pairs, and its card tells how it orders others", async () => {
  const words = ["--kind", "autoregressive", "--per-token", "--epochs", "1", "--learning-rate", "0.01", "--json"];
  const { code, err, objects } = await train("--run", "played", "--out", "guide", ...words);
  expect([code, err]).toEqual([0, ""]);
  const fields = new Set(objects().flatMap((object) => Object.keys(object)));
  expect([...fields].filter((field) => !Object.hasOwn(reward.fields ?? {}, field))).toEqual([]);
  expect(objects().at(-1)).toMatchObject({ event: "end", card: { kind: "autoregressive" } });
  expect(JSON.parse(await readFile(join(folder, "guide", "token-reward.json"), "utf8"))).toMatchObject({ form: 1 });
});

const judge = (...words: string[]) => limbeck(["reward", "judge", ...words], { cwd: folder, env: {} });

test("judges are trained by name and tell their figures; every printed field is documented", async () => {
  const small = ["--set", "walks=30", "--set", "heldOut=10", "--set", "epochs=1"];
  const { code, objects } = await judge("--method", "path-judge", ...small, "--out", "paths", "--json");
  expect(code).toBe(0);
  expect(objects()).toMatchObject([
    { event: "judged", method: "path-judge", out: "paths", metrics: { gain: expect.any(Number) } },
  ]);
  expect(await readFile(join(folder, "paths", "JUDGE.md"), "utf8")).toContain("# Judge by path-judge");
  expect((await judge("--method", "path-judge", ...small, "--out", "paths")).err).toContain("is there already");
  expect(Object.keys(objects()[0] ?? {}).filter((field) => !Object.hasOwn(reward.fields ?? {}, field))).toEqual([]);
  expect((await judge("--method", "path-judge", ...small)).out).toContain("finalState");
});

test.each([
  [[], "needs --method NAME"],
  [["--method", "palm-reader"], 'No value of --method "palm-reader"'],
  [["--method", "rebuttal", "--set", "dialogs=3"], 'Did you mean "dialogues"'],
])("judge refused: %j", async (words, message) => {
  expect((await judge(...words)).err.replaceAll(/\s+/g, " ")).toContain(message);
});
