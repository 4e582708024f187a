/** CodeTree: strategies, solutions under them, refinements under those, in one tree that a critic steers. */
import { option } from "limbeck-base/base/option";
import { retry, walkAll, type Start } from "./attempts.ts";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { listAttempts, readActions, readChoice, situation } from "./line-summary.ts";
import { discard } from "../walk/tree/search.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch, type SearchScope, type SearchNode } from "./search.ts";

export const codetree = defineSearch({
  info: {
    title: "CodeTree",
    paper: "CodeTree: Agent-guided Tree Search for Code Generation with Large Language Models",
    confidence: "inferred",
    formula: [
      "thinker  = `strategies` ways to begin; solver = an attempt under one; debugger = a new attempt from where one went wrong",
      "critic   = worth of an attempt; with a text model the mean of that and the model's score",
      "next     = the highest score x 0.9^(children it has), over strategies to solve again and attempts to refine",
      "stops at a success, when nothing is left to expand, or when nothing can be paid",
    ],
    meaning: "Grows strategies, solutions and repairs in one tree; a critic says which is expanded next.",
    departures: [
      "With a text model a strategy is text that an attempt is given. Without one it is a first action: the policy's own proposals, one of each meaning.",
      "Execution feedback is what the world says, not unit tests.",
    ],
  },
  options: {
    strategies: option.count(3, "ways to begin"),
    children: option.count(3, "times that one thing is expanded at most"),
    refinements: option.count(3, "repairs of repairs", 0),
    advise: option.flag(false, "tell an attempt by rule what failed, for models that read advice"),
  },
  create: ({ strategies, children, refinements, advise }) => ({
    run: async (scope) => {
      const starts = await think(scope, strategies);
      const branches: Branch[] = starts.map((start) => ({ start, score: 1, expanded: 0, depth: 0 }));
      const ends = starts.flatMap(({ from }) => (from.closed ? [from] : []));
      for (;;) {
        const open = branches.filter(({ expanded, start }) => expanded < children && !start.from.closed);
        const next = firstLargest(open, ({ score, expanded }) => score * 0.9 ** expanded);
        if (next === undefined || ends.some(isSolved)) break;
        const [end] = await walkAll(scope, [next.start]);
        if (end === undefined) break;
        next.expanded += 1;
        const score = await criticise(scope, end);
        // A strategy is as good as what came of it so far.
        if (next.depth === 0) next.score += (score - next.score) / next.expanded;
        ends.push(end);
        if (next.depth < refinements && end.closed) {
          branches.push({ start: retry(end, advise ? "rule" : "none"), score, expanded: 0, depth: next.depth + 1 });
        }
      }
      return worthiestNode(ends);
    },
  }),
});

interface Branch {
  readonly start: Start;
  score: number;
  expanded: number;
  /** Refinements above it; 0 for a strategy. */
  readonly depth: number;
}

async function think(scope: SearchScope, count: number): Promise<Start[]> {
  const { root } = scope;
  const question = `Name ${count} different strategies, each in one short line and nothing else.`;
  const text = await scope.ask(`${situation(scope)}\n${question}`, { kind: "plan" });
  const named = readActions(text ?? "").slice(0, count);
  if (named.length > 0) return named.map((guidance) => ({ from: root, guidance }));
  const proposals = await scope.propose(root, { count: 2 * count });
  const starts: Start[] = [];
  const tried: string[] = [];
  for (const proposal of proposals) {
    const { action } = proposal;
    const alike = await Promise.all(tried.map((one) => scope.alike(one, action)));
    const from = starts.length < count && !alike.includes(true) ? await scope.take(root, proposal) : undefined;
    if (from === undefined) discard(proposal);
    else starts.push({ from });
    tried.push(action);
  }
  await scope.evaluate(starts.flatMap(({ from }) => (from.closed ? [from] : [])));
  return starts;
}

async function criticise(scope: SearchScope, end: SearchNode): Promise<number> {
  const own = worthOf(end);
  if (!scope.canAsk || isSolved(end)) return own;
  const said = await scope.ask(
    `${listAttempts(scope.task.goal, [end])}\n\nHow near is this attempt to the goal, from 1 (not at all) to 10 (reached)? Answer with the number alone.`,
    { answerTokens: 8 },
  );
  const chosen = readChoice(said, 10);
  return chosen === undefined ? own : (own + chosen / 9) / 2;
}
