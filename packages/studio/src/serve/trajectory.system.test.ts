import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { sampleStore } from "../../../../test/support/sample-store.ts";
import { studioClient, type Client } from "../../../../test/support/studio-client.ts";
import { HOSTILE, writeTrainedRun } from "../../../../test/support/trained-run.ts";
import { openStore } from "limbeck-store/store/open-store";
import { scored } from "limbeck-base/trajectory/score";

let client: Client;
let remove: () => Promise<void>;
let root: string;
const ids = { run: "one" };

/** Everything that text can do to a page or a terminal, and a line of 5 MB. */
const NASTY = `${HOSTILE}![x](https://example.invalid/y.png)\u200b\u202e\u0007\u0000\ud83d\ude00 </script><!--`;
const LONG = "x".repeat(5_000_000);

beforeAll(async () => {
  ({ root, remove } = await sampleStore());
  const store = openStore(root);
  await writeTrainedRun(store, "one");
  const writer = await store.createRun({ id: "odd" });
  await writer.append(
    sampleTrajectory(`odd/${NASTY}`, {
      group: NASTY,
      task: { id: NASTY, env: NASTY, seed: 1, goal: NASTY, split: "train", data: { family: NASTY } },
      steps: [sampleStep(0, { observation: NASTY, action: LONG }), sampleStep(1, { action: NASTY })],
    }),
  );
  await writer.append(sampleTrajectory("long", { steps: Array.from({ length: 2_000 }, (_, at) => sampleStep(at)) }));
  for (const [id, parent, actions] of [
    ["root", undefined, ["left", "left", "up"]],
    ["fork", { trajectory: "root", step: 1 }, ["right", "up"]],
    ["twin", undefined, ["left", "left", "down"]],
  ] as const) {
    const first = parent?.step ?? 0;
    const steps = actions.map((action, at) =>
      sampleStep(first + at, {
        action,
        stateKey: first + at < 2 ? `s${first + at}` : `s2 ${id === "fork" ? "r" : "l"}`,
      }),
    );
    const reward = { root: 1, fork: 0.5, twin: 0 }[id];
    await writer.append(
      sampleTrajectory(id, {
        steps,
        group: "tree",
        reward: scored(reward),
        success: reward > 0,
        ...(parent === undefined ? {} : { parent }),
      }),
    );
  }
  await writer.close();
  await store.close();
  client = await studioClient({ root });
});
afterAll(async () => {
  await client.studio.close();
  await remove();
});

test("the tokens of the head are those that its steps sampled, and all that it read apart from them", async () => {
  const { sampled, tokens, outline } = await client.ask("trajectory", { ids, query: { id: "2/train/0" } });
  expect(sampled).toBe(outline.reduce((total, step) => total + step.tokens, 0));
  expect(sampled).toBeGreaterThan(0);
  expect(tokens).toBeGreaterThan(sampled ?? 0);
});

test("a trajectory has its words, their numbers, skills with evidence, and siblings", async () => {
  const shown = await client.ask("trajectory", { ids, query: { id: "2/train/0" } });
  expect(shown).toMatchObject({ run: "one", outcome: "success", hasCredit: true, playable: true, update: 2 });
  expect(shown.outline.map(({ action, visits, skills }) => [action, visits, skills])).toEqual([
    ["go to shelf 1", 3, 0],
    ["take mug 1 from shelf 1", 3, 1],
    ["clean mug 1 with sinkbasin 1", 3, 0],
    ["put mug 1 in desk 1", 2, 0],
  ]);
  const tokens = shown.window[1]?.tokens;
  expect(tokens?.texts?.join("")).toBe("take mug 1 from shelf 1");
  // The fixture: +0.5 and +0.25 by turns where it succeeded; shifts of −0.1, 0 and 0.1; log-probability −1.
  expect(tokens?.advantage?.slice(0, 3)).toEqual([0.5, 0.25, 0.5]);
  expect(tokens?.shift?.[0]).toBe(-0.1);
  expect(tokens?.probability?.[0]).toBeCloseTo(Math.exp(-1), 5);
  expect(tokens?.teacher).toBe("episode");
  expect(shown.skills.map(({ level, step, shift }) => [level, step, shift])).toEqual([
    ["episode", null, 0.5],
    ["step", 1, 0.375],
  ]);
  expect(shown.skills[1]?.evidence).toEqual([
    { trajectory: "2/train/0", steps: [{ step: 1, action: "take mug 1 from shelf 1" }] },
  ]);
  // The second wandered off in the state both were in; the third did the same to the end.
  expect(shown.siblings).toMatchObject([
    { id: "2/train/2", shared: 4, diverged: null, relation: "sibling" },
    {
      id: "2/train/1",
      shared: 1,
      outcome: "failure",
      diverged: { step: 1, own: "take mug 1 from shelf 1", theirs: HOSTILE },
    },
  ]);
});

test("windows of a long trajectory, and what was done from one state", async () => {
  const first = await client.ask("trajectory", { ids: { run: "odd" }, query: { id: "long", count: 2 } });
  expect([first.outline.length, first.window.map(({ index }) => index)]).toEqual([2_000, [0, 1]]);
  const steps = await client.ask("steps", { ids: { run: "odd" }, query: { id: "long", from: 1_990, count: 50 } });
  expect([steps.total, steps.window.map(({ index }) => index)]).toEqual([
    2_000,
    [1_990, 1_991, 1_992, 1_993, 1_994, 1_995, 1_996, 1_997, 1_998, 1_999],
  ]);
  const state = await client.ask("state", { ids, query: { id: "2/train/0", step: 1 } });
  expect(state.decisions.map(({ trajectory, action, outcome }) => [trajectory, action, outcome])).toEqual([
    ["2/train/0", "take mug 1 from shelf 1", "success"],
    ["2/train/1", HOSTILE, "failure"],
    ["2/train/2", "take mug 1 from shelf 1", "success"],
  ]);
  expect((await client.fail("state", { ids, query: { id: "2/train/0", step: 9 } })).code).toBe("no-trajectory");
});

test("a group is a forest: branches leave where they did, visits and returns add up", async () => {
  const { groups } = await client.ask("groups", { ids: { run: "odd" } });
  expect(groups.find(({ group }) => group === "tree")).toMatchObject({
    episodes: 3,
    solved: 2,
    meanReward: 0.5,
    branches: 1,
  });
  const { nodes, trajectories, cut } = await client.ask("group", { ids: { run: "odd" }, query: { id: "tree" } });
  expect(cut).toBe(false);
  // s0 -left-> s1, where root and twin go left and the fork goes right; (1 + 0.5 + 0) / 3 = 0.5 at the root.
  expect(
    nodes.map(({ parent, action, visits, meanReturn, actions }) => [parent, action, visits, meanReturn, actions]),
  ).toEqual([
    [null, null, 3, 0.5, 1],
    [0, "left", 3, 0.5, 2],
    [1, "left", 2, 0.5, 2],
    [1, "right", 1, 0.5, 1],
  ]);
  expect(trajectories.map(({ id, path }) => [id, path])).toEqual([
    ["root", [0, 1, 2]],
    ["fork", [0, 1, 3]],
    ["twin", [0, 1, 2]],
  ]);
  expect(nodes[2]?.ends.map(({ trajectory }) => trajectory)).toEqual(["root", "twin"]);
  const mixed = await client.ask("groups", { ids, query: { mixed: true, update: 2 } });
  expect(mixed.groups.map(({ group, update }) => [group, update])).toEqual([["train", 2]]);
  expect((await client.ask("group", { ids, query: { id: "train", update: 2 } })).nodes[0]?.example.trajectory).toBe(
    "2/train/0",
  );
  expect((await client.fail("group", { ids, query: { id: "none" } })).code).toBe("no-group");
});

test("hostile text comes back as it was, as JSON, and what is huge comes in pieces", async () => {
  const id = `odd/${NASTY}`;
  const shown = await client.ask("trajectory", { ids: { run: "odd" }, query: { id } });
  expect(shown).toMatchObject({
    id,
    env: NASTY,
    task: NASTY,
    group: NASTY,
    family: NASTY,
    goalText: { text: NASTY, cut: false },
  });
  expect(shown.window[0]?.observation.text).toBe(NASTY);
  expect(shown.window[0]?.action).toMatchObject({ length: 5_000_000, cut: true });
  expect(shown.window[0]?.action.text.length).toBeLessThan(10_000);
  const whole = await client.ask("text", { ids: { run: "odd" }, query: { id, field: "action", step: 0 } });
  expect(whole.text === LONG).toBe(true);
  const { total } = await client.ask("trajectories", { query: { family: NASTY, group: NASTY, env: NASTY } });
  expect(total).toBe(1);
});

test("chats are shown as messages, and the demo's branch knows its parent", async () => {
  const shown = await client.ask("trajectory", { ids: { run: "demo" }, query: { id: "kitchen-2" } });
  expect(shown.parent).toEqual({ trajectory: "kitchen-1", step: 1 });
  expect(shown.window[0]?.reply).toMatchObject({
    role: "assistant",
    reasoning: { text: "Clean it first." },
    toolCalls: [{ name: "clean" }],
  });
  expect(shown.siblings).toMatchObject([{ id: "kitchen-1", relation: "parent", shared: 1 }]);
  const failed = await client.ask("trajectory", { ids: { run: "evil" }, query: { id: "hostile-1" } });
  expect(failed).toMatchObject({ ending: "failed", outcome: "unknown", reward: null, failure: { code: "env-lost" } });
});

test("skills of a run are counted together, with where they come from", async () => {
  const { total, skills, library } = await client.ask("skills", {
    query: { source: "run", run: "one", sort: "shift" },
  });
  expect([total, library]).toEqual([3, null]);
  // The warning's shift falls from −0.76 to −0.81: −0.785 in the mean.
  expect(skills.map(({ id, uses, evidence }) => [id, uses, evidence])).toEqual([
    ["episode-false", 6, 6],
    ["episode-true", 12, 12],
    ["step", 18, 18],
  ]);
  expect(skills[0]?.shift).toBeCloseTo(-0.785, 10);
  const skill = await client.ask("skill", { query: { source: "run", run: "one", id: "step" } });
  expect(skill.evidenceAt[0]).toEqual({
    run: "one",
    trajectory: "1/train/0",
    steps: [{ step: 1, action: "take mug 1 from shelf 1" }],
  });
  expect((await client.fail("skill", { query: { source: "run", run: "one", id: "none" } })).code).toBe("no-skill");
  expect((await client.fail("skills", { query: { source: "run" } })).code).toBe("bad-request");
  expect((await client.fail("skill", { query: { id: "x" } })).code).toBe("no-library");
});

test("what is missing, damaged or deleted meanwhile is said, and the rest goes on", async () => {
  expect(await client.fail("run", { ids: { run: "none" } })).toMatchObject({ status: 404, code: "no-run" });
  expect(await client.fail("run", { ids: { run: "../x" } })).toMatchObject({ status: 400, code: "bad-run-id" });
  expect(await client.fail("trajectory", { ids, query: { id: "none" } })).toMatchObject({
    status: 404,
    code: "no-trajectory",
  });
  expect((await client.fail("trajectories", { query: { run: "none" } })).code).toBe("no-run");
  const store = openStore(root);
  await writeTrainedRun(store, "lost");
  await writeTrainedRun(store, "gone");
  expect((await client.ask("trajectories", { query: { run: "lost" } })).total).toBe(34);
  expect((await client.ask("trajectories", { query: { run: "gone" } })).total).toBe(34);
  await rm(join(root, "lost", "segments"), { recursive: true });
  await store.deleteRun("gone");
  // A new commit makes the server look again at once; without one it does so within seconds.
  const writer = await store.openRun("lost");
  await writer.append(sampleTrajectory("later"));
  await writer.close();
  expect(await client.fail("trajectory", { ids: { run: "gone" }, query: { id: "1/train/0" } })).toMatchObject({
    code: "no-run",
  });
  const { runs } = await client.ask("runs");
  expect(runs.find(({ id }) => id === "lost")).toMatchObject({
    status: "broken",
    problem: expect.stringContaining("does not exist") as unknown,
  });
  expect(runs.map(({ id }) => id)).not.toContain("gone");
  expect(await client.ask("run", { ids: { run: "lost" } })).toMatchObject({
    status: "broken",
    recipe: "opid",
    curves: [],
  });
  expect((await client.fail("trajectories", { query: { run: "lost" } })).code).toBe("segment-damaged");
  expect((await client.ask("trajectories", {})).trajectories.some(({ run }) => run === "one")).toBe(true);
  await store.close();
});
