/** The goal as lists of facts, any one of which wins, looked at again only when one of its facts has changed. */
import { EngineError } from "../../base/index.ts";
import { isApplicable } from "./blocks.ts";
import type { Alternative } from "./condition.ts";
import { ground, type Grounding } from "./ground.ts";

export interface Goal {
  /** Whether the state wins, all things considered. */
  isMet(bits: Uint32Array): boolean;
  /** The same for a state that did not win before these facts changed. */
  isMetAfter(bits: Uint32Array, changed: readonly number[]): boolean;
}

/** A goal over official numbers of things has hundreds of ways; millions mean a broken file. */
const MAX_WAYS = 1_000_000;

export function createGoal(alternatives: readonly Alternative[], grounding: Grounding): Goal {
  const ways: Int32Array[] = [];
  for (const alternative of alternatives) {
    ground(alternative, [], grounding, (_, demands) => {
      if (ways.length >= MAX_WAYS)
        throw new EngineError("bad-game", `Bad game file: the goal has over ${MAX_WAYS} ways.`);
      ways.push(Int32Array.from(demands));
    });
  }
  if (ways.length === 0) {
    throw new EngineError(
      "unsatisfiable-goal",
      "Bad game file: the goal of pddl_problem can never be met; no things of the types and properties it asks for exist.",
    );
  }
  let watchers: Map<number, Int32Array[]> | undefined;
  return {
    isMet: (bits) => ways.some((way) => isApplicable(way, bits)),
    isMetAfter: (bits, changed) => {
      watchers ??= watch(ways);
      for (const fact of changed) {
        if (watchers.get(fact)?.some((way) => isApplicable(way, bits)) === true) return true;
      }
      return false;
    },
  };
}

function watch(ways: readonly Int32Array[]): Map<number, Int32Array[]> {
  const watchers = new Map<number, Int32Array[]>();
  for (const way of ways) {
    for (const demand of way) {
      const fact = Math.abs(demand) - 1;
      const list = watchers.get(fact);
      if (list === undefined) watchers.set(fact, [way]);
      else list.push(way);
    }
  }
  return watchers;
}
