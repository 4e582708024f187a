import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countNodes, mergePlans, openChildren } from "./tree-planner.ts";

const same = (action: string): string => action.trim().toLowerCase();
const plan = (...actions: string[]): { actions: string[]; weight: number } => ({ actions, weight: 1 });

test("three plans, worked out by hand", () => {
  const root = mergePlans([plan("look", "take cup"), plan("Look ", "open box"), plan("go")], same);
  // root: 3 plans; look: 2 of them, then take cup and open box; go: 1. Four nodes for five actions.
  expect(root.weight).toBe(3);
  expect(root.children.map(({ action, weight }) => [action, weight])).toEqual([
    ["look", 2],
    ["go", 1],
  ]);
  expect(root.children[0]?.children.map(({ action, ends }) => [action, ends])).toEqual([
    ["take cup", 1],
    ["open box", 1],
  ]);
  expect(countNodes(root)).toBe(4);
});

test("what is closed is not offered, and the most wanted comes first", () => {
  const root = mergePlans([plan("a"), plan("b"), plan("b"), plan("c")], same);
  expect(openChildren(root).map(({ action }) => action)).toEqual(["b", "a", "c"]);
  (root.children[1] as { closed: boolean }).closed = true;
  expect(openChildren(root).map(({ action }) => action)).toEqual(["a", "c"]);
});

test("every plan can be walked in the tree, and no tree has more nodes than its plans have actions", () => {
  const plans = fc.array(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 }), { maxLength: 8 });
  fc.assert(
    fc.property(plans, (given) => {
      const root = mergePlans(given.map((actions) => ({ actions, weight: 1 })), same); // prettier-ignore
      expect(countNodes(root)).toBeLessThanOrEqual(given.reduce((total, actions) => total + actions.length, 0));
      for (const actions of given) {
        let node = root;
        for (const action of actions) node = node.children.find((child) => child.action === action) as typeof node;
        expect(node.ends).toBeGreaterThan(0);
      }
      expect(root.weight).toBe(given.length);
    }),
  );
});
