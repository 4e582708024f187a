/** The expert: looks where such things are kept, forgets nothing, and knows every appliance. */
import type { Demonstrator } from "../expert.ts";
import { decide, type Style } from "./decide.ts";
import { readGoal, type Goal } from "./goal.ts";
import { searchList, treatProperly } from "./knowledge.ts";
import { createMemory, kindName, type Memory } from "./memory.ts";

export const expert: Demonstrator = {
  id: "expert",
  summary: "Searches in a sensible order, forgets nothing, knows what every appliance does.",
  start: (task) => {
    const goal = readGoal(task.goal);
    const { memory, notice } = createMemory();
    const style = expertStyle(memory, goal);
    return {
      next: (seen) => {
        notice(seen);
        return decide(memory, goal, style);
      },
    };
  },
};

/**
 * How the expert goes about an errand; a demonstrator of your own may take some of it.
 *
 * @example
 * import { createMemory, readGoal } from "limbeck/env/household";
 *
 * const { memory, notice } = createMemory();
 * notice({ action: undefined, observation: "Looking quickly around you, you see a desk 1, and a fridge 1." });
 * console.log(expertStyle(memory, readGoal("put some apple on desk.")).searchNext("apple")); // fridge 1
 */
export function expertStyle(memory: Memory, goal: Goal): Style {
  return {
    searchNext: (kind) => searchSensibly(memory, goal, kind),
    recalls: () => true,
    treat: (held) => (goal.treatment === undefined ? undefined : treatProperly(memory, held, goal.treatment)),
    shineOn: (_held, lamp) => `use ${lamp}`,
  };
}

/** The best receptacle not yet looked into; one of the same kind that is at hand saves the walk. */
function searchSensibly(memory: Memory, goal: Goal, kind: string): string | undefined {
  // Nobody is asked to bring a thing to where one lies already, so its target is the last place to look for it.
  const settled = (name: string): boolean =>
    kind === goal.thing && goal.treatment === undefined && kindName(name) === goal.target;
  const list = searchList(kind, memory.receptacles);
  const open = [...list.filter((name) => !settled(name)), ...list.filter(settled)].filter(
    (name) => !memory.contents.has(name),
  );
  const [first] = open;
  if (first === undefined) return undefined;
  return open.find((name) => kindName(name) === kindName(first) && memory.atHand.includes(name)) ?? first;
}
