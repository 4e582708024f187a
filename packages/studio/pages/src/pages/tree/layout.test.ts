import { expect, test } from "vitest";
import type { TreeNode } from "../../../../src/serve/api.ts";
import { layOut } from "./layout.ts";

const node = (id: number, parent: number | null, visits: number, ends = 0): TreeNode => ({
  id,
  parent,
  depth: 0,
  stateKey: `${id}`,
  observation: "",
  action: `act ${id}`,
  valid: true,
  visits,
  solved: 0,
  meanReturn: 0,
  actions: 1,
  ends: Array.from({ length: ends }, (_, at) => ({
    trajectory: `${id}-${at}`,
    outcome: "success" as const,
    reward: 1,
  })),
  example: { trajectory: "t", step: 0 },
});

test("stretches without a decision are one box, and a parent stands between its children", () => {
  // 0 - 1 - 2 parts into 3 (1 visit) and 4 (2 visits); 4 goes on to 5.
  const nodes = [node(0, null, 3), node(1, 0, 3), node(2, 1, 3), node(3, 2, 1, 1), node(4, 2, 2), node(5, 4, 2, 2)];
  const { boxes, columns, rows } = layOut(nodes);
  expect(boxes.map((box) => [box.nodes.map(({ id }) => id), box.parent, box.column, box.row])).toEqual([
    [[0, 1, 2], undefined, 0, 0.5],
    [[4, 5], 0, 1, 0],
    [[3], 0, 1, 1],
  ]);
  expect([columns, rows]).toEqual([2, 2]);
});

test("an episode that ends on the way is not hidden in a stretch", () => {
  const { boxes } = layOut([node(0, null, 2, 1), node(1, 0, 1, 1)]);
  expect(boxes.map((box) => box.nodes.length)).toEqual([1, 1]);
});

test("a very long episode and an empty group can be drawn", () => {
  const chain = Array.from({ length: 5_000 }, (_, at) => node(at, at === 0 ? null : at - 1, 1));
  expect(layOut(chain).boxes).toHaveLength(1);
  expect(layOut([])).toEqual({ boxes: [], columns: 1, rows: 0 });
});
