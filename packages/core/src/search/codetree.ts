/** CodeTree: strategies, solutions under them, repairs under those, searched depth first; a critic says what is repaired. */
import { option } from "limbeck-base/base/option";
import { retry, walkAll, type Start } from "./attempts.ts";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { listAttempts, readActions, situation } from "./line-summary.ts";
import { discard } from "../walk/tree/search.ts";
import { defineSearch, type SearchScope, type SearchNode } from "./search.ts";

export const codetree = defineSearch({
  info: {
    title: "CodeTree",
    paper: "CodeTree: Agent-guided Tree Search for Code Generation with Large Language Models",
    confidence: "code",
    source: "SalesforceAIResearch/CodeTree @ 72c9c874; llm_agent_guide.py: agent_guide, eval_node",
    formula: [
      "thinker  = ways to begin, then ways to repair an attempt; solver = an attempt under one; debugger = a new attempt from where one went wrong",
      "value    = worth of an attempt + the critic's score / 15, a whole number from 0 to 5",
      "repaired = above `depth`, if the value is not below that of the attempt it repairs (0 for the first); if equal, if the score is at least its depth",
      "order    = depth first: the first repair of the newest attempt is next; at most `tries` attempts, and none after a success",
    ],
    meaning: "Grows strategies, solutions and repairs in one tree, depth first; a critic says what is worth a repair.",
    departures: [
      "The critic answers with a number alone, and the first one counts (above 5, or without one: 0); published code has it analyse first, by a scale of test outputs, and takes the largest digit from 0 to 5 of the last line.",
      "A text model that names no strategy or repair is treated as if there were none; published code then makes no attempt or no repair.",
      "Every line of an answer is a strategy; published code reads numbered lines of at least five characters only.",
      "By default a repair reads the named line only; the published debugger always reads the earlier program and its test results too (option advise comes nearest).",
      "Whoever names repairs sees the attempt, not the strategy it followed; published code shows both. Critic and repairer read a summary of the attempt (at most 40 actions of 160 characters, what was seen last, how it ended); there they read the whole program and its test outputs.",
      "Where neither the world nor a value function gives an estimate, worth is 0.9 of what the line itself shows (possible, new, sure, ended).",
      "Attempts and answers are drawn at the temperature of their model; published code uses 0 throughout.",
      "An attempt that is over with its proposed first action counts as none of the tries and is not repaired.",
      "With a text model a strategy is text that an attempt is given. Without one it is a first action, the policy's own proposals, one of each meaning; `ways` repairs follow an attempt, there is no score, and an equal value is repaired.",
      "Worth is what the world or the value function says, not the share of visible tests. A success is the world's, so no critic reviews it; there a program that passes the visible tests and not the review is worth 1.33 and repaired.",
      "A repair goes on from before the first step that was refused or came back to an earlier state, without one from the middle of the attempt; the published one writes the whole program anew.",
      "Without a success the worthiest attempt is the answer, of equals the first (the critic's score does not count, so that among failures of worth 0 it is the first made); the published code gives the last one that failed a visible test.",
    ],
  },
  options: {
    width: option.count(10, "strategies, and repairs of one attempt, that a text model may name"),
    ways: option.count(3, "strategies, and repairs of one attempt, where there is no text model"),
    depth: option.count(3, "attempts below each other, the first included"),
    tries: option.count(20, "attempts in all"),
    advise: option.flag(false, "tell an attempt by rule what failed, for models that read advice"),
  },
  create: ({ width, ways, depth, tries, advise }) => ({
    run: async (scope) => {
      const begun = await think(scope, width, ways);
      const ends = begun.flatMap(({ from }) => (from.closed ? [from] : []));
      const open = begun.filter(({ from }) => !from.closed);
      // The last one is next.
      const stack = open.map((start): Branch => ({ start, parent: 0, depth: 1 })).reverse();
      for (let tried = 0; tried < tries && !ends.some(isSolved); tried += 1) {
        const branch = stack.pop();
        if (branch === undefined) break;
        const [end] = await walkAll(scope, [branch.start]);
        if (end === undefined) break;
        ends.push(end);
        if (branch.depth >= depth || isSolved(end)) continue;
        const { value, isRepaired } = verdictOn(worthOf(end), await criticise(scope, end), branch);
        if (!isRepaired) continue;
        const repairs = await reflect(scope, end, { width, ways, advise });
        stack.push(...repairs.map((start) => ({ start, parent: value, depth: branch.depth + 1 })).reverse());
      }
      return worthiestNode(ends);
    },
  }),
});

/** An attempt that is still to be made. */
interface Branch {
  readonly start: Start;
  /** Value of the attempt that it repairs; 0 for a strategy. */
  readonly parent: number;
  /** From 1. */
  readonly depth: number;
}

/** The value of an attempt above the last depth, and whether it is repaired. `score`: the critic's, from 0 to 5; undefined without one. */
export function verdictOn(
  worth: number,
  score: number | undefined,
  { parent, depth }: Pick<Branch, "parent" | "depth">,
): { readonly value: number; readonly isRepaired: boolean } {
  const value = worth + (score ?? 0) / 15;
  const isRepaired = value > parent || (value === parent && (score === undefined || score >= depth));
  return { value, isRepaired };
}

async function think(scope: SearchScope, width: number, count: number): Promise<Start[]> {
  const { root } = scope;
  const question = `Name different strategies, at most ${width}, each in one short line and nothing else.`;
  const text = await scope.ask(`${situation(scope)}\n${question}`, { kind: "plan" });
  const named = readActions(text ?? "").slice(0, width);
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

/** Ways to repair an attempt, each from where it went wrong. */
async function reflect(
  scope: SearchScope,
  end: SearchNode,
  { width, ways, advise }: { readonly width: number; readonly ways: number; readonly advise: boolean },
): Promise<Start[]> {
  const start = retry(end, advise ? "rule" : "none");
  const text = await scope.ask(
    `${listAttempts(scope.task.goal, [end])}\n\nName one or several ways to do better, at most ${width}, each in one short line and nothing else.`,
    { kind: "plan" },
  );
  const named = readActions(text ?? "").slice(0, width);
  if (named.length === 0) return Array.from({ length: ways }, () => start);
  return named.map((line) => ({ from: start.from, guidance: [start.guidance ?? [], line].flat().join(" ") }));
}

/** The critic's score, from 0 to 5; undefined where there is nobody to ask. */
async function criticise(scope: SearchScope, end: SearchNode): Promise<number | undefined> {
  if (!scope.canAsk) return undefined;
  const said = await scope.ask(
    `${listAttempts(scope.task.goal, [end])}\n\nHow near is this attempt to the goal, from 0 (not at all) to 5 (reached)? Answer with the number alone.`,
    { answerTokens: 8 },
  );
  const score = Number(/\d{1,6}/.exec(said ?? "")?.[0] ?? 0);
  return score <= 5 ? score : 0;
}
