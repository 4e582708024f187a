import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { studioClient, type Client } from "../../../../test/support/studio-client.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";

let folder: string;
let client: Client;
const ids = { run: "one" };

/** A real training of two updates, with a model of a few thousand parameters. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-studio-"));
  await writeTinyModel(join(folder, "start"), 1, 1_024);
  const settings = ["tasks=2", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
  const words = "train --model start --threads 1 --report-tasks 2 --validate-every 0 --steps 2 --dir runs/one".split(
    " ",
  );
  const { code, err } = await limbeck([...words, ...settings], { cwd: folder });
  if (code !== 0) throw new Error(err);
  client = await studioClient({ root: join(folder, "runs"), models: [join(folder, "start")] });
});
afterAll(async () => {
  await client.studio.close();
  await rm(folder, { recursive: true, force: true });
});

test("a real training is shown: every trained token has its advantage, which is the sum of its terms", async () => {
  const run = await client.ask("run", { ids });
  expect(run).toMatchObject({ status: "finished", recipe: "opid", hasModel: true, updates: { done: 2 } });
  expect(run.curves.map(({ topic }) => topic)).toEqual(
    expect.arrayContaining(["success", "reward", "entropy", "phase", "loss", "cost"]),
  );
  const { trajectories } = await client.ask("trajectories", { query: { run: "one", phase: "train" } });
  expect(trajectories).toHaveLength(8);
  for (const { id } of trajectories) {
    const { window, hasCredit } = await client.ask("trajectory", { ids, query: { id } });
    expect(hasCredit).toBe(true);
    for (const { tokens } of window) {
      expect(tokens?.advantage).toHaveLength(tokens?.ids.length ?? -1);
      expect(tokens?.texts).toHaveLength(tokens?.ids.length ?? -1);
      tokens?.advantage?.forEach((advantage, at) => {
        const sum = (tokens.terms ?? []).reduce((total, { weight, values }) => total + weight * (values[at] ?? 0), 0);
        expect(sum).toBeCloseTo(advantage, 3);
      });
    }
  }
});

test("entropies come from the run's model: as many as tokens, none above the logarithm of the vocabulary", async () => {
  const { trajectories } = await client.ask("trajectories", { query: { run: "one", limit: 1, phase: "train" } });
  const id = trajectories[0]?.id ?? "";
  const { window } = await client.ask("trajectory", { ids, query: { id } });
  const { update, steps } = await client.ask("entropy", { ids, query: { id } });
  expect(update).toBe(2);
  expect(steps.map(({ entropy }) => entropy.length)).toEqual(window.map(({ tokens }) => tokens?.ids.length));
  for (const value of steps.flatMap(({ entropy }) => entropy)) {
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThanOrEqual(Math.log(288) + 1e-3);
  }
});

test("a world is played by hand and forked anywhere, with the policy's probabilities beside", async () => {
  const menu = await client.ask("playMenu");
  expect(menu.policies.map(({ id, env }) => [id, env])).toEqual([
    ["own:0", null],
    ...["household", "shop", "research", "tools", "countdown", "archive", "draft", "emit", "ledger", "talk"].map(
      (world) => [`bundled:${world}`, world],
    ),
    ["run:one", "household"],
  ]);
  expect(menu.worlds.find(({ id }) => id === "alfworld")?.problem).toContain("root");
  const game = await client.ask("openGame", {
    body: { env: "household", split: "valid", index: 3, policy: "run:one" },
  });
  const [start] = game.places;
  expect(start).toMatchObject({ id: 0, parent: null, depth: 0, ending: null });
  const [first, second] = start?.admissible ?? [];
  const act = async (place: number, action: string | undefined) =>
    (await client.ask("act", { body: { game: game.id, place, action } })).place;
  const left = await act(0, first);
  const right = await act(0, second);
  expect([left.parent, right.parent, left.id, right.id]).toEqual([0, 0, 1, 2]);
  // The place that was forked is as it was: the same action leads to the same place again.
  expect((await act(0, first)).observation).toEqual(left.observation);
  expect(await act(1, "sing a song")).toMatchObject({ valid: false, parent: 1, depth: 2 });
  expect((await client.ask("game", { query: { id: game.id } })).places).toHaveLength(5);
  const advice = await client.ask("advice", { query: { game: game.id, place: 1 } });
  expect(advice.actions.map(({ action }) => action).sort()).toEqual([...(left.admissible ?? [])].sort());
  expect(advice.actions.reduce((total, { probability }) => total + probability, 0)).toBeCloseTo(1, 6);
  expect(advice.covered).toBeLessThanOrEqual(1);
  expect(await client.fail("act", { body: { game: "gone", place: 0, action: "x" } })).toMatchObject({
    status: 404,
    code: "no-game",
  });
  expect((await client.fail("act", { body: { game: game.id, place: 99, action: "x" } })).code).toBe("no-game");
  expect((await client.fail("openGame", { body: { env: "nowhere" } })).code).toBe("unknown-name");
  expect((await client.fail("openGame", { body: { env: "household", split: "none" } })).message).toContain(
    "Known: train",
  );
  expect((await client.fail("openGame", { body: { env: "household", policy: "run:none" } })).code).toBe("no-model");
});

test.each(["household", "shop", "research", "tools", "countdown", "archive", "draft", "emit", "ledger", "talk"])(
  "%s is opened as its own bundled model knows it, and its expert has an opinion",
  async (env) => {
    const game = await client.ask("openGame", { body: { env, policy: `bundled:${env}` } });
    const query = { game: game.id, place: 0 };
    const advice = await client.ask("advice", { query });
    expect(advice.policy).toBe(`bundled:${env}`);
    expect(advice.greedy.trim()).not.toBe("");
    const { expert, action } = await client.ask("hint", { query });
    expect(expert).not.toBeNull();
    // What the expert would do is accepted.
    const { place } = await client.ask("act", { body: { ...query, action } });
    expect(place.valid).toBe(true);
  },
  60_000,
);

test("a model of one's own plays beside, and only folders that were named at the start can be used", async () => {
  const game = await client.ask("openGame", { body: { env: "household", policy: "own:0" } });
  const advice = await client.ask("advice", { query: { game: game.id, place: 0 } });
  expect(advice.actions.length).toBeGreaterThan(1);
  for (const policy of ["own:1", "own:../start", "bundled:nothing", "bundled:../start", "/etc"]) {
    expect((await client.fail("openGame", { body: { env: "household", policy } })).code).toBe("no-model");
  }
});

test("a stored trajectory is played on from one of its steps", async () => {
  const { trajectories } = await client.ask("trajectories", { query: { run: "one", limit: 1, phase: "train" } });
  const id = trajectories[0]?.id ?? "";
  const { window } = await client.ask("trajectory", { ids, query: { id } });
  const game = await client.ask("openGame", { body: { run: "one", trajectory: id, step: 1 } });
  expect(game).toMatchObject({ current: 1, env: "household", policy: null });
  expect(game.places.map(({ observation }) => observation.text)).toEqual(
    window.map(({ observation }) => observation.text),
  );
  expect((await client.fail("advice", { query: { game: game.id, place: 1 } })).code).toBe("no-model");
});
