import { expect, test } from "vitest";
import { lock, searchTable } from "../../../../test/support/table-search.ts";
import { isSolved, pivotOf, signsOf, worthiestNode, worthOf } from "./worth.ts";
import { lessonOf, readActions, readChoice, summariseLine } from "./line-summary.ts";
import { SearchNode, type NodeFacts } from "../walk/tree/node.ts";

function node(
  parent: SearchNode | undefined,
  stateKey: string,
  more: Partial<NodeFacts> & { valid?: boolean; action?: string } = {},
): SearchNode {
  const { valid = true, action = `to ${stateKey}`, ...facts } = more;
  const reward = { kind: "scored", value: 0 } as const;
  const step = { index: 0, observation: "", stateKey: parent?.stateKey ?? "", action, valid, reward };
  return new SearchNode({
    parent,
    order: 0,
    step: parent === undefined ? undefined : step,
    piece: undefined,
    observation: `at ${stateKey}`,
    stateKey,
    ending: undefined,
    reward,
    success: null,
    simulated: false,
    logprob: undefined,
    said: 0,
    ...facts,
  });
}

test("signs by hand", () => {
  const root = node(undefined, "a");
  const first = node(root, "b", { logprob: 2 * Math.log(0.5), said: 2 });
  const back = node(first, "b", { valid: false, logprob: 2 * Math.log(0.5), said: 2 });
  // Possible 1 of 2; fresh: 1 of 1 further state is not new, 0; not ended: 1/2; sure: a half. (0.5 + 0 + 0.5 + 0.5) / 4.
  expect(signsOf(back)).toBeCloseTo(0.375, 12);
  expect(worthOf(back)).toBeCloseTo(0.9 * 0.375, 12);
  const end = node(first, "c", { ending: "terminated", logprob: 0, said: 2 });
  // Possible 1, fresh 1, ended 1, sure: exp of the mean over four tokens, 0.5^(1/2).
  expect(signsOf(end)).toBeCloseTo((3 + Math.SQRT1_2) / 4, 12);
  expect(worthiestNode([back, end, root])).toBe(end);
  expect(signsOf(root)).toBe(0);
});

test("solved is what has ended and is valued 1", () => {
  const end = node(node(undefined, "a"), "b", { ending: "terminated" });
  expect(isSolved(end)).toBe(false);
  end.estimate = 1;
  expect(isSolved(end)).toBe(true);
  const open = node(undefined, "a");
  open.estimate = 1;
  expect(isSolved(open)).toBe(false);
});

test("a line is gone back to before its first slip, or to its middle", () => {
  const root = node(undefined, "a");
  const one = node(root, "b");
  const two = node(one, "c");
  const three = node(two, "d");
  const four = node(three, "e");
  expect(pivotOf(four)).toBe(two);
  expect(pivotOf(node(two, "b"))).toBe(two);
  expect(pivotOf(node(node(one, "b", { valid: false }), "z"))).toBe(one);
  expect(pivotOf(one)).toBe(root);
  expect(pivotOf(root)).toBe(root);
});

test("summaries quote, count and keep to one line; outcomes are told only where they were seen", async () => {
  const root = node(undefined, "a");
  const one = node(root, "a", { action: "push\u001b[2J\nhard" });
  const two = node(one, "a", { action: "push\u001b[2J\nhard" });
  const end = node(two, "b", { action: "leave", valid: false, ending: "terminated", success: false });
  expect(summariseLine(end)).toBe(
    "Actions: push [2J hard (2 times); leave (refused).\nSeen last: at b\nIt came to its end after 3 steps.",
  );
  end.estimate = 0;
  expect(summariseLine(end)).toContain("It failed after 3 steps.");
  expect(lessonOf(end)).toContain("Not possible there: leave.");
  const { chosen } = await searchTable("best-of-n", lock(2, 1));
  expect(summariseLine(chosen!)).toContain("It succeeded after 2 steps.");
});

test("answers of models are read as far as they can be", () => {
  expect(readActions("1. go\n\n - take it\n* 3 cups\n")).toEqual(["go", "take it", "3 cups"]);
  expect([readChoice("I say 12, or 2.", 3), readChoice("none", 3), readChoice(undefined, 3)]).toEqual([
    1,
    undefined,
    undefined,
  ]);
});
