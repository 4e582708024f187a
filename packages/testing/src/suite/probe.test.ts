/** Worlds that are asked after an episode, by the graders that look: a claim is not enough. */
import { expect, test } from "vitest";
import { evaluateAgent } from "limbeck-core/eval/evaluate";
import type { Demonstrator } from "limbeck-core/env/expert";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Place } from "./item.ts";
import { openSuite } from "./places.ts";
import { proberOf } from "./probe.ts";
import { gradeEpisodes } from "./run-suite.ts";
import { readSuite } from "./suite.ts";

const suite = readSuite({
  suite: "look",
  grader: { use: "state", options: { queries: [{ ask: "inventory", holds: "you are carrying" }] } },
  tasks: [{ id: "a", world: "household", options: { dial: "tiny" }, split: "test", maxSteps: 12 }],
});

async function played(
  script: string | Demonstrator,
): Promise<{ readonly place: Place; readonly trajectory: Trajectory }> {
  const [place] = (await openSuite(suite)) as [Place];
  const agent = createDemonstratorAgent(
    typeof script === "string" ? (place.demonstrators[script] as Demonstrator) : script,
  );
  const tasks = place.items.map(({ task }) => task);
  const { trajectories } = await evaluateAgent({ env: place.env, agent, tasks, seed: 1, maxSteps: 12 });
  return { place, trajectory: trajectories[0] as Trajectory };
}

test("each question has a copy of the world as the agent left it", async () => {
  const { place, trajectory } = await played("empty");
  const { probe, close } = proberOf(place.env, trajectory);
  const listed = await probe("inventory");
  // What one question does is not there for the next one.
  await probe("go to countertop 1");
  expect(await probe("inventory")).toBe(listed);
  await close();
});

test("of a world that is over it is the moment before the end", async () => {
  const { place, trajectory } = await played("perfect");
  expect(trajectory).toMatchObject({ ending: "terminated", success: true });
  const { probe, close } = proberOf(place.env, trajectory);
  const last = trajectory.steps.at(-1)?.action ?? "";
  // The same step ends it as it did then.
  expect(await probe(last)).toBe(trajectory.closing?.observation);
  await close();
});

test("a second grading is the same, and a record that is not what the world shows has no grade", async () => {
  const { place, trajectory } = await played("empty");
  const [first] = await gradeEpisodes(suite, place, [trajectory]);
  const [second] = await gradeEpisodes(suite, place, [trajectory]);
  expect(second).toEqual(first);
  expect(first?.score).toEqual({ kind: "scored", value: 0 });
  const steps = trajectory.steps.map((step, at) => (at === 1 ? { ...step, observation: "You hold the ring." } : step));
  const [forged] = await gradeEpisodes(suite, place, [{ ...trajectory, steps }]);
  expect(forged?.score).toMatchObject({ kind: "unscored", why: expect.stringContaining("came out elsewhere after 1") });
});
