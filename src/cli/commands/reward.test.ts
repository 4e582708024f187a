import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../test/support/fake-io.ts";
import { signedEpisode } from "../../../test/support/signed-episodes.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";
import { openStore } from "../../store/index.ts";
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
  expect([...fields].filter((field) => !Object.hasOwn(reward.jsonFields ?? {}, field))).toEqual([]);
  expect(objects().at(-1)).toMatchObject({ event: "end", card: { measures: { tasks: 4 } } });
  expect(await readFile(join(folder, "scorer", "SCORER.md"), "utf8")).toContain(
    "| best of | scorer | likelihood | length | random |",
  );
  expect((await train("--run", "played", "--out", "scorer")).err).toContain("is there already");
});

test.each([
  [["--out", "x"], "needs --run ID"],
  [["--run", "played", "--out", "x", "--loss", "hinge"], 'No value of --loss "hinge". Known: bce, mse, pairs'],
  [["--run", "played", "--out", "x", "--kind", "tree"], 'No value of --kind "tree". Known: adapter, states'],
  [["--run", "played", "--out", "x", "--kind", "states", "--loss", "pairs"], "A head on states learns by bce"],
  [["--run", "played", "--out", "x", "--learning-rate", "fast"], "--learning-rate fast"],
  [["--run", "played", "--out", "x", "--labels", "right"], "There are 0 labelled episodes"],
])("refused: %j", async (words, message) => {
  expect((await train(...words)).err.replaceAll(/\s+/g, " ")).toContain(message);
});
