/** Three splits of rising distance: what each holds, and how the report tells policies apart by how far they reach. */
import { expect, test } from "vitest";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Place } from "../item.ts";
import { openSuite } from "../places.ts";
import { runSuite } from "../run-suite.ts";
import { readSuite } from "../suite.ts";
import { newErrands } from "./new-errands.ts";

const suite = readSuite(newErrands);

async function shares(script: (place: Place) => Demonstrator) {
  const places = await openSuite(suite);
  const policy = (place: Place) =>
    Promise.resolve({ agent: createDemonstratorAgent(script(place)), close: () => Promise.resolve() });
  const { unseen } = (await runSuite({ suite, places, policy, name: "test" })).report;
  return [unseen.instance, unseen.template, unseen.world].map((cut) => cut?.accuracy?.mean);
}

test("the splits hold what they are called: no training house, one family alone, and larger houses", async () => {
  const [instance, template, world] = await openSuite(suite);
  const familiesOf = (place: Place | undefined) => new Set(place?.items.map((item) => item.template));
  expect(familiesOf(instance)).toEqual(new Set(["pick_and_place_simple"]));
  expect([...familiesOf(template)]).not.toContain("pick_and_place_simple");
  expect(familiesOf(world)).toEqual(familiesOf(template));
  for (const place of [instance, template, world])
    for (const { task } of place?.items ?? []) expect(task.split).toBe("test");
  expect(world?.env.maxSteps).toBeGreaterThan(instance?.env.maxSteps ?? 0);
});

test("who can do everything, one family alone, or nothing", async () => {
  const expert = ({ demonstrators }: Place) => demonstrators["perfect"] as Demonstrator;
  expect(await shares(expert)).toEqual([1, 1, 1]);
  // Does what it learnt on one family with every goal, and looks about where the goal is not of that form.
  const narrow = (place: Place): Demonstrator => ({
    ...expert(place),
    start: (task, rng) =>
      /^put (?:a|some) (?!hot|clean|cool|two)\w+ (?:in|on)/.test(task.goal)
        ? expert(place).start(task, rng)
        : { next: () => "look" },
  });
  const [instance = 0, ...others] = await shares(narrow);
  expect(instance).toBeGreaterThan(0.5);
  expect(others).toEqual([0, 0]);
  expect(await shares(({ demonstrators }) => demonstrators["empty"] as Demonstrator)).toEqual([0, 0, 0]);
});
