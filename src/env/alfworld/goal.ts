/** The goal as lists of facts, any one of which wins, looked at again only when one of its facts has changed. */
import { EngineError } from "../../base/index.ts";
import { isMet, pack } from "./pack.ts";
import type { Alternative } from "./condition.ts";
import { prepare, type Grounding } from "./ground.ts";

export interface Goal {
  /** Whether the state wins, all things considered. */
  isMet(bits: Uint32Array): boolean;
  /** The same for a state that did not win before these facts changed. */
  isMetAfter(bits: Uint32Array, changed: readonly number[]): boolean;
}

/** A goal over official numbers of things has hundreds of ways; millions mean a broken file. */
const MAX_WAYS = 1_000_000;

export function createGoal(alternatives: readonly Alternative[], grounding: Grounding): Goal {
  const ways: (readonly number[])[] = [];
  for (const alternative of alternatives) {
    prepare(
      alternative,
      new Set(),
      grounding,
    )([], (_, demands) => {
      if (ways.length >= MAX_WAYS)
        throw new EngineError("bad-game", `Bad game file: the goal has over ${MAX_WAYS} ways.`);
      ways.push(demands.slice());
    });
  }
  if (ways.length === 0) {
    throw new EngineError(
      "unsatisfiable-goal",
      "Bad game file: the goal of pddl_problem can never be met; no things of the types and properties it asks for exist.",
    );
  }
  const [demands, starts] = pack(ways);
  const relevant = new Set(Array.from(demands, (demand) => Math.abs(demand) - 1));
  const isReached = (bits: Uint32Array): boolean => {
    for (let way = 0; way + 1 < starts.length; way += 1) {
      if (isMet(demands, starts[way] as number, starts[way + 1] as number, bits)) return true;
    }
    return false;
  };
  return {
    isMet: isReached,
    isMetAfter: (bits, changed) => changed.some((fact) => relevant.has(fact)) && isReached(bits),
  };
}
