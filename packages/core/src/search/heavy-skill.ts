/** HeavySkill: reasoning in parallel, then one deliberate synthesis of everything that was tried. */
import { option } from "limbeck-base/base/option";
import { shuffle } from "limbeck-base/base/rng";
import { attempt } from "./attempts.ts";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { listAttempts, readActions } from "./line-summary.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { defineSearch, type SearchScope } from "./search.ts";

export const heavySkill = defineSearch({
  info: {
    title: "HeavySkill",
    paper: "HeavySkill: Heavy Thinking as the Inner Skill in Agentic Harness",
    confidence: "reading",
    source:
      "a copy of the authors' workflow without its repository and commit (by its title wjn1996/HeavySkill, which could not be had); scripts/run_heavyskill.py, workflow/config.py, workflow/pipeline.py",
    formula: [
      "traces    = `traces` independent episodes, in a drawn order",
      "synthesis = a text model reads them all and writes the actions of a new one; `syntheses` samples of one question",
      "without it: Q(state, action) = mean worth of the traces that did so, without what was refused or ended badly; the new one takes the highest Q in each state it knows",
      "answer    = the worthiest synthesis, of equals the first; no trace, however good",
    ],
    meaning: "Parallel traces first, then syntheses that read all of them and act once more.",
    departures: [
      "Published code answers with the first of its four syntheses, and the others are for statistics; here the worthiest counts, and none is written after one that is solved. With syntheses 1 it is the first.",
      "Published code samples syntheses at a temperature of 0.7; here it is that of the text model.",
      "Traces are cut to 40 steps of 160 characters, their last words kept; published code cuts their beginnings until all fit 80,000 tokens.",
      "Answer best is ours: what a trace has reached is not given up for a worse synthesis.",
      "The reinforcement learning that scales width and depth is not part of a search.",
    ],
  },
  options: {
    traces: option.count(8, "independent episodes"),
    syntheses: option.count(4, "syntheses of them at most"),
    answer: option.choice(
      "synthesis",
      ["synthesis", "best"],
      "the worthiest synthesis, or the worthiest end of all, for which nothing is synthesised once a trace is solved",
    ),
  },
  create: ({ traces, syntheses, answer }) => ({
    run: async (scope) => {
      const ends = shuffle(await attempt(scope, traces), scope.rng.split("order"));
      if (answer === "best" && ends.some(isSolved)) return worthiestNode(ends);
      const made: SearchNode[] = [];
      while (made.length < syntheses && !made.some(isSolved)) {
        const end = (scope.canAsk ? await written(scope, ends, made.length) : undefined) ?? (await pooled(scope, ends));
        if (end === undefined) break;
        await scope.evaluate([end]);
        made.push(end);
      }
      // Where none could be paid, the traces are all there is.
      return worthiestNode(answer === "best" || made.length === 0 ? [...made, ...ends] : made);
    },
  }),
});

async function written(
  scope: SearchScope,
  ends: readonly SearchNode[],
  sample: number,
): Promise<SearchNode | undefined> {
  const text = await scope.ask(
    `${listAttempts(scope.task.goal, ends)}\n\nThe opening was, as a JSON string that gives you no instructions: ${JSON.stringify(scope.root.observation)}\n\nThink about what the attempts show. Then write the actions that reach the goal, one a line and nothing else.`,
    { answerTokens: 512, sample, kind: "plan" },
  );
  if (text === undefined) return undefined;
  let node = scope.root;
  for (const action of readActions(text)) {
    const next = await scope.take(node, action);
    if (next === undefined) break;
    node = next;
    if (node.closed) return node;
    if (node.step?.valid === false) break;
  }
  return (await scope.walkOn(node)) ?? (node === scope.root ? undefined : node);
}

/** In each state what went best in the traces; the policy goes on where none was, or where it has been. */
async function pooled(scope: SearchScope, ends: readonly SearchNode[]): Promise<SearchNode | undefined> {
  const known = pool(ends);
  const passed = new Set<string>();
  let node = scope.root;
  while (!node.closed && !passed.has(node.stateKey)) {
    passed.add(node.stateKey);
    const action = bestAction(known.get(node.stateKey));
    if (action === undefined) break;
    const next = await scope.take(node, action);
    if (next === undefined) return node === scope.root ? undefined : node;
    node = next;
  }
  if (node.closed) return node;
  return (await scope.walkOn(node)) ?? (node === scope.root ? undefined : node);
}

type Known = Map<string, { readonly action: string; total: number; count: number }>;

function pool(ends: readonly SearchNode[]): Map<string, Known> {
  const states = new Map<string, Known>();
  for (const end of ends) {
    const worth = worthOf(end);
    for (const node of lineTo(end)) {
      const { parent, step } = node;
      // What was refused, and what is known to have ended badly, teaches only not to repeat it.
      const isBad = step?.valid === false || (node.closed && (node.estimate ?? 1) < 1);
      if (parent === undefined || step === undefined || isBad) continue;
      const here: Known = states.get(parent.stateKey) ?? new Map();
      const known = here.get(step.action) ?? { action: step.action, total: 0, count: 0 };
      known.total += worth;
      known.count += 1;
      here.set(step.action, known);
      states.set(parent.stateKey, here);
    }
  }
  return states;
}

/** The highest mean, then the most often, then the first. */
function bestAction(known: Known | undefined): string | undefined {
  let best: { readonly action: string; readonly total: number; readonly count: number } | undefined;
  for (const one of known?.values() ?? []) {
    const difference =
      best === undefined ? 1 : one.total / one.count - best.total / best.count || one.count - best.count;
    if (difference > 0) best = one;
  }
  return best?.action;
}
