import { expect, test } from "vitest";
import { scriptedAsker, searchTable, type SearchTable } from "../../../../test/support/table-search.ts";

const house: SearchTable = {
  moves: {
    hall: { north: "attic", east: "kitchen" },
    attic: { south: "hall", look: "attic" },
    kitchen: { eat: "fed" },
  },
  ends: { fed: 1 },
  maxSteps: 8,
  chances: { hall: { east: 0.8, north: 0.2 }, attic: { south: 1 }, kitchen: { eat: 1 } },
};

test("plans are written once; on the ground only forks ask, and refused branches are left", async () => {
  const plans = ["north\nfly", "1. north\n2. fly", "east\neat"];
  let asked = 0;
  const asker = scriptedAsker([[/Write the whole plan/, () => plans[(asked += 1) - 1] ?? ""]]);
  const result = await searchTable("tree-planner", house, { asker, settings: { plans: 3, ask: false } });
  expect(result.success).toBe(true);
  expect(result.actions).toEqual(["east", "eat"]);
  // North is wanted by two plans and tried first; "fly" is refused there; then the nearest open fork is the hall.
  expect(result.root.children.map(({ action }) => action)).toEqual(["north", "east"]);
  expect(result.root.children[0]?.children.map(({ step }) => step?.valid)).toEqual([false]);
  // Three plans are three calls; the policy itself was never asked.
  expect(result.spent.modelCalls).toBe(3);
});

test("all plans can be one answer, which is one call", async () => {
  const asker = scriptedAsker([
    [/Write 3 different whole plans/, () => "north\nfly\n\n1. north\n2. fly\n \neast\neat\n\n\n"],
  ]);
  const settings = { plans: 3, ask: false, answers: "together" };
  const result = await searchTable("tree-planner", house, { asker, settings });
  expect(result.actions).toEqual(["east", "eat"]);
  expect(result.root.children.map(({ action }) => action)).toEqual(["north", "east"]);
  expect(result.spent.modelCalls).toBe(1);
});

test("at a fork the policy is asked once, and what it wants is taken if a plan has it", async () => {
  const plans = ["north\nsouth", "north\nlook", "east\neat"];
  let asked = 0;
  const asker = scriptedAsker([[/Write the whole plan/, () => plans[(asked += 1) - 1] ?? ""]]);
  const sure = { ...house, chances: { ...house.chances, hall: { east: 1 } } };
  const result = await searchTable("tree-planner", sure, { asker, settings: { plans: 3 } });
  expect([result.actions, result.spent.modelCalls]).toEqual([["east", "eat"], 4]);
  // Two ways were open in the hall; in the kitchen there was only one, which is no fork.
  expect([result.root.info, result.root.children[0]?.info]).toEqual([{ planned: 2 }, undefined]);
});

test("without a model plans are what the policy does in copies of the world", async () => {
  const result = await searchTable("tree-planner", house, { settings: { plans: 4 } });
  expect([result.success, result.actions]).toEqual([true, ["east", "eat"]]);
  const empty = await searchTable("tree-planner", house, { budget: { modelCalls: 0 } });
  expect([empty.success, empty.nodes]).toEqual([null, 0]);
});

test("where the budget ends before the ground, the best of the walked plans is what there is", async () => {
  const sure = { ...house, chances: { ...house.chances, hall: { east: 1 } } };
  const walked = await searchTable("tree-planner", sure, { budget: { envSteps: 2 }, settings: { plans: 2 } });
  expect([walked.success, walked.actions, walked.spent.envSteps]).toEqual([true, ["east", "eat"], 2]);
  const asker = scriptedAsker([[/Write the whole plan/, () => "north\nlook\nlook"]]);
  const stopped = await searchTable("tree-planner", house, { asker, budget: { envSteps: 2 }, settings: { plans: 2 } });
  expect([stopped.success, stopped.actions]).toEqual([null, ["north", "look"]]);
});
