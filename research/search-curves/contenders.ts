/** How each search is run at a multiple of the greedy cost: what has a size grows with the budget, the rest ends by it. */
import type { SearchId } from "../../packages/core/src/search/registry.ts";

type Settings = Readonly<Record<string, number | string | boolean>>;

/** Larger than any budget allows, so that the budget is what ends it. */
const MANY = 4_096;

export const contenders: Readonly<Record<SearchId, (multiple: number) => Settings>> = {
  "ab-mcts": () => ({ iterations: MANY }),
  "agent-q": () => ({ iterations: MANY }),
  bavt: () => ({ expansions: MANY }),
  beam: (multiple) => ({ beam: Math.max(1, Math.round(multiple / 4)), width: multiple < 4 ? multiple : 4 }),
  "best-of-n": (multiple) => ({ n: multiple }),
  "coarse-to-fine": () => ({ places: MANY }),
  codetree: () => ({ tries: MANY, depth: MANY }),
  "confidence-vote": (multiple) => ({ n: multiple, over: "step", by: "likelihood" }),
  dts: () => ({ iterations: MANY }),
  ets: (multiple) => ({ width: Math.max(1, multiple) }),
  evolution: () => ({ generations: MANY }),
  gems: (multiple) => ({ rounds: multiple }),
  "heavy-skill": (multiple) => ({ traces: Math.max(1, multiple - 2), syntheses: 2 }),
  "i-mcts": () => ({ iterations: MANY }),
  // Whole episodes vote by their last action, which is the same for all who buy something.
  "majority-vote": (multiple) => ({ n: multiple, over: "step" }),
  mcgs: () => ({ iterations: MANY }),
  mcts: () => ({ iterations: MANY }),
  pdr: (multiple) => ({ width: Math.min(4, multiple), rounds: MANY }),
  rtv: (multiple) => ({ attempts: multiple }),
  "self-abstraction": (multiple) => ({ rounds: Math.max(1, multiple - 1), answer: "best" }),
  "simple-tes": () => ({ depth: MANY }),
  spark: (multiple) => ({ rounds: multiple }),
  star: (multiple) => ({ samples: multiple }),
  "tree-planner": (multiple) => ({ plans: Math.max(1, multiple - 1) }),
  weboperator: (multiple) => ({ candidates: Math.min(3, multiple), expansions: MANY }),
};

/** Those that never look at an outcome choose by agreement, confidence or caption; the others may see how the world scores. */
export const BLIND: ReadonlySet<SearchId> = new Set(["majority-vote", "confidence-vote", "star", "weboperator"]);
