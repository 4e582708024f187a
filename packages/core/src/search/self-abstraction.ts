/** Self-abstraction (SAGE): a first attempt, a plan that is drawn from it, and a second attempt with the plan. */
import { option } from "limbeck-base/base/option";
import { avoidanceText, workflowText } from "../skill/statistics/wording.ts";
import { sectionTemplates } from "../skill/templates.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { attempt, walkAll } from "./attempts.ts";
import { isSolved, worthiestNode } from "./worth.ts";
import { listAttempts, oneLine } from "./line-summary.ts";
import { defineSearch, type SearchScope } from "./search.ts";

const MOST_ACTIONS = 20;
const MOST_FAULTS = 5;
const LONGEST_PLAN = 1_200;

export const selfAbstraction = defineSearch({
  info: {
    title: "Self-abstraction (SAGE)",
    paper: "Self-Abstraction from Grounded Experience for Plan-Guided Policy Refinement, arXiv 2511.05931",
    confidence: "reading",
    source: "chatpaper on arXiv 2511.05931: exploration, plan abstraction, execution with the plan",
    formula: [
      "attempt 1 = the policy alone",
      "plan      = key steps, what each depends on, and constraints, drawn from attempt 1 (by a text model; by rule without one)",
      "attempt 2 = the policy from the opening, with the plan; `rounds` plans in all, each from the attempt before",
    ],
    meaning: "Tries a task, draws a plan from what happened, and tries again with the plan.",
    departures: [
      "By rule the plan is the way of the attempt without refused steps and loops where it came to an end of its own, and otherwise what was refused, changed nothing or led back, in the words of the statistics analyst.",
      "plan=none tries again blindly: the control.",
    ],
  },
  options: {
    rounds: option.count(1, "plans, each followed by an attempt"),
    plan: option.choice("own", ["own", "none"], "what a later attempt is given: the plan, or nothing"),
    answer: option.choice("last", ["last", "best"], "which attempt counts: the last, as published, or the best"),
  },
  create: ({ rounds, plan, answer }) => ({
    run: async (scope) => {
      const ends = await attempt(scope, 1);
      for (let round = 1; round <= rounds; round += 1) {
        const before = ends.at(-1);
        if (before === undefined) break;
        const text = plan === "none" ? undefined : await planOf(scope, before);
        const guidance = text === undefined || text === "" ? {} : { guidance: sectionTemplates.compact.episode(text) };
        const [next] = await walkAll(scope, [{ from: scope.root, ...guidance }]);
        if (next === undefined) break;
        next.info = { ...next.info, planned: text !== undefined && text !== "", round };
        ends.push(next);
      }
      return answer === "best" ? worthiestNode(ends) : ends.at(-1);
    },
  }),
});

async function planOf(scope: SearchScope, end: SearchNode): Promise<string> {
  const written = await scope.ask(
    `${listAttempts(scope.task.goal, [end])}\n\nDraw a short plan for a second attempt from this one: the key steps in order, what each depends on, and what must be kept to. Answer with the plan alone.`,
  );
  return written === undefined ? planByRule(end) : oneLine(written, LONGEST_PLAN);
}

/** Steps without loops where the attempt came to its own end; what to keep off otherwise. Empty where it shows neither. */
export function planByRule(end: SearchNode): string {
  const line = lineTo(end);
  const refused: string[] = [];
  const useless: string[] = [];
  const leadsBack: string[] = [];
  let way: SearchNode[] = [];
  const [root, ...nodes] = line;
  for (const node of nodes) {
    const action = oneLine(node.step?.action ?? "");
    const last = way.at(-1) ?? root;
    if (node.step?.valid === false) refused.push(action);
    else if (node.ending !== "terminated" && node.stateKey === last?.stateKey) useless.push(action);
    else {
      const met =
        node.ending !== "terminated" ? [root, ...way].findIndex((one) => one?.stateKey === node.stateKey) : -1;
      if (met !== -1) leadsBack.push(action);
      way = met === -1 ? [...way, node] : way.slice(0, met);
    }
  }
  const kept = way.map(({ step }) => oneLine(step?.action ?? ""));
  const hasWon = end.estimate === undefined ? end.ending === "terminated" : isSolved(end);
  if (hasWon) return workflowText(kept.slice(0, MOST_ACTIONS));
  const some = (actions: readonly string[], most = MOST_FAULTS): string[] => [...new Set(actions)].slice(0, most);
  return avoidanceText({
    refused: some(refused),
    useless: some(useless),
    leadsBack: some(leadsBack),
    tried: some(kept, 2 * MOST_FAULTS),
  });
}
