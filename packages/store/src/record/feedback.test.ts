import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { stored } from "../../../../test/support/recording.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { recordedTrajectory } from "../store/formats/recorded-trajectory.ts";
import { hasOutcome, outcomeOf } from "limbeck-base/trajectory/outcome";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { addFeedback } from "./feedback.ts";
import { judgeTrajectories } from "./judge.ts";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-feedback-"));
  store = openStore(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function recording(id: string, model = "m", minute = 0): Trajectory {
  return recordedTrajectory({
    id,
    feedback: [],
    calls: [
      {
        limbeck: "call",
        v: 1,
        trajectory: id,
        call: `${id}-1`,
        agent: "porter",
        task: { id: "door" },
        model,
        startedAt: `2026-01-01T00:0${minute}:00.000Z`,
        durationMs: 1500,
        messages: [{ role: "user", content: "Is it open?" }],
        reply: { role: "assistant", content: "Yes." },
        usage: { promptTokens: 1000, completionTokens: 200, cachedTokens: 400 },
      },
    ],
  });
}
async function fill(run: string, ...trajectories: readonly Trajectory[]): Promise<void> {
  const writer = await store.createRun({ id: run, kind: "record" });
  for (const trajectory of trajectories) await writer.append(trajectory);
  await writer.close();
}
const run = (words: readonly string[]): ReturnType<typeof limbeck> =>
  limbeck(words, { env: { LIMBECK_STORE: folder } });

test("an outcome comes later, by command and by code; the last word counts", async () => {
  await fill("recorded", recording("a"), recording("b"));
  expect((await stored(store)).map(hasOutcome)).toEqual([false, false]);
  const { code, out } = await run([
    "feedback",
    "a",
    "--failure",
    "--score",
    "0.25",
    "--reward",
    "polite=1",
    "--comment",
    "too short",
  ]);
  expect([code, out]).toEqual([0, "Added to a in run recorded: success 0, score 0.25, polite 1.\n"]);
  await addFeedback(store, "a", { success: true, source: "test suite" });
  const [a, b] = await stored(store);
  expect(outcomeOf(a as Trajectory)).toEqual({ success: true, reward: { kind: "scored", value: 0.25 } });
  expect(a?.rewards[0]).toEqual({
    name: "success",
    source: "person",
    score: { kind: "scored", value: 0 },
    comment: "too short",
  });
  expect(hasOutcome(b as Trajectory)).toBe(false);
});

test("wrong feedback is refused with the way out", async () => {
  await fill("recorded", recording("a"));
  for (const [words, said] of [
    [["a"], "says nothing"],
    [["a", "--success", "--failure"], "contradict"],
    [["a", "--score", "much"], "--score must be a number"],
    [["a", "--reward", "polite"], "NAME=NUMBER"],
    [["nobody", "--success"], 'No trajectory "nobody"'],
  ] as const) {
    const { code, err } = await run(["feedback", ...words]);
    expect(code).toBe(2);
    expect(err).toContain(said);
  }
  await expect(addFeedback(store, "nobody", { success: true })).rejects.toMatchObject({ code: "trajectory-missing" });
  await fill("copy", recording("a"));
  await expect(addFeedback(store, "a", { success: true })).rejects.toMatchObject({ code: "ambiguous-id" });
});

test("a rubric judge gives a score with agreement; one that fails leaves it unscored", async () => {
  const answers = ['{"success": 8}', '{"success": 10}', '{"success": 9}'];
  let asked = 0;
  const model = (reply: (index: number) => string): Parameters<typeof judgeTrajectories>[1]["model"] => ({
    model: "judge-1",
    complete: () =>
      Promise.resolve({ text: reply(asked++), toolCalls: [], finishReason: "stop", usage: {}, cached: false } as never),
  });
  const [given] = await judgeTrajectories([recording("a")], { model: model((index) => answers[index % 3] ?? "") });
  // (8 + 10 + 9) / 3 / 10 = 0.9; mean distance (0.1 + 0.1 + 0) / 3, so agreement 1 - 2 * 0.0667 = 0.8667.
  expect(
    given?.map(({ name, score }) => [name, score.kind === "scored" ? Number(score.value.toFixed(4)) : score.why]),
  ).toEqual([
    ["score", 0.9],
    ["score.agreement", 0.8667],
    ["score.success", 0.9],
  ]);
  expect(given?.[0]?.source).toBe("reward:rubric-judge judge-1");
  await fill("recorded", recording("a"));
  const { code, err } = await run(["feedback", "a", "--judge"]);
  expect([code, err]).toEqual([2, expect.stringContaining("LIMBECK_CHAT_BASE_URL")]);
  const [failed] = await judgeTrajectories([recording("a")], { model: model(() => "no idea") });
  expect(failed?.[0]?.score.kind).toBe("unscored");
});

test("traces lists each id once, with cost, errors and what has no outcome", async () => {
  await fill("recorded", recording("a", "m", 1), recording("b", "other", 2));
  await fill("copy", recording("a", "m", 1));
  await addFeedback(store, "b", { success: false });
  await addFeedback(store, "b", { success: true });
  const { writeFile } = await import("node:fs/promises");
  await writeFile(join(folder, "prices.json"), '{"m": {"input": 2, "output": 10, "cached": 0.5}}');
  const words = ["traces", "--prices", join(folder, "prices.json")];
  const { objects } = await run([...words, "--json"]);
  const [b, a, total] = objects();
  expect(b).toMatchObject({ id: "b", success: true, costUsd: null, alsoIn: 0 });
  // (600 * 2 + 400 * 0.5 + 200 * 10) / 1e6 = 0.0034.
  expect(a).toMatchObject({
    id: "a",
    run: "copy",
    agent: "porter",
    task: "door",
    steps: 1,
    costUsd: 0.0034,
    success: null,
    alsoIn: 1,
  });
  expect(total).toMatchObject({
    event: "total",
    trajectories: 2,
    steps: 2,
    costUsd: 0.0034,
    unpriced: 1,
    withErrors: 0,
    withoutOutcome: 1,
  });
  const ids = async (...filter: string[]): Promise<unknown[]> =>
    (await run(["traces", "--json", ...filter]))
      .objects()
      .flatMap((line) => (line["id"] === undefined ? [] : [line["id"]]));
  expect(await ids("--model", "other")).toEqual(["b"]);
  expect(await ids("--outcome", "none")).toEqual(["a"]);
  expect(await ids("--outcome", "success")).toEqual(["b"]);
  expect(await ids("--since", "2026-01-01T00:01:30Z")).toEqual(["b"]);
  expect(await ids("--errors")).toEqual([]);
  const { out } = await run(words);
  expect(out).toContain("2 trajectories, 2 steps, 2,400 tokens, $0.0034, 0 with errors, 1 without an outcome");
  expect((await run(["traces", "--outcome", "maybe"])).code).toBe(2);
});
