/** Tree-Planner: plans are sampled once and merged into a tree; on the ground only the forks are decided. */
import { option } from "limbeck-base/base/option";
import { plainAction } from "../walk/tree/alike.ts";
import { attempt } from "./attempts.ts";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { readActions, situation } from "./line-summary.ts";
import { stepsTo, type SearchNode } from "../walk/tree/node.ts";
import { discard } from "../walk/tree/search.ts";
import { defineSearch, type SearchScope } from "./search.ts";

export const treePlanner = defineSearch({
  info: {
    title: "Tree-Planner",
    paper: "Tree-Planner: Efficient Close-loop Task Planning with Large Language Models",
    confidence: "code",
    source:
      "Aaron617/tree-planner @ 733f0362; utils/exec_utils.py: grounded_exec, utils/deciding_graph.py: construct_tree, run.py; arXiv 2310.08582",
    formula: [
      "plans  = `plans` of them; what they begin with in common is one path of the action tree",
      "decide = at a fork the policy is asked once; a child that means its answer is taken, otherwise the most wanted one",
      "back   = an action that is refused, or an end that is no success, closes its branch; it goes on at the nearest open fork",
    ],
    meaning: "Samples whole plans once, merges them into an action tree, and decides node by node on the ground.",
    departures: [
      "With a text model a plan is one answer, or all plans are one (answers=together), a line for each action. Without one a plan is what the policy does in a copy of the world; plans that came out better then weigh more.",
      "Published code (Aaron617/tree-planner @ 733f0362) samples 50 plans (temperature 0.8, top-p 0.95; choices at 0.7), maps their objects to those of the scene, and leaves out unknown actions and plans with unknown objects; here 6 are taken as they are, and actions are merged without case and space.",
      "At a fork published code shows what was done and the open children under letters, and takes the most frequent first letter of 20 answers, of equals the one that came first (a letter of no child ends the task in an error); here the policy acts freely, once, and its answer is looked for among them.",
      "The published end of a plan is a child of its own, which may be chosen at a fork and ends the run; here an end counts only where no plan goes on, and then, if the episode does not end, the policy goes on alone.",
      "Published code checks the goal after every action, and corrects up to 10 refused actions in its run.py (0 by the default of its arguments: the first refused one fails the task) with the error in the prompt; here the world ends the episode, a wrong end closes its branch too, and errors are not shown, as long as the budget lasts. The worthiest end on the ground is acted on, of equals the first; where the budget ran out before, where it stood, or the worthiest of the walked plans. Where outcomes are not in view every end counts as wrong, so the whole tree is walked as far as the budget goes.",
      "Where no written plan comes to any end, plans are walked after all; published code has then failed.",
    ],
  },
  options: {
    plans: option.count(6, "plans that are sampled"),
    answers: option.choice(
      "each",
      ["each", "together"],
      "written plans: an answer for each, or one answer with all of them, which pays for the prompt once",
    ),
    ask: option.flag(true, "ask the policy at forks; otherwise the most wanted child is taken"),
  },
  create: ({ plans, answers, ask }) => ({
    run: async (scope) => {
      const writing = answers === "each" ? writtenPlans : plansOfOneAnswer;
      const written = scope.canAsk ? await writing(scope, plans) : [];
      // The text model may be gone, or say nothing that can be used.
      const walked: SearchNode[] = [];
      const sampled = written.length > 0 ? written : await walkedPlans(scope, plans, walked);
      const ends: SearchNode[] = [];
      await follow({ scope, ask, ends }, mergePlans(sampled, plainAction), scope.root);
      // Plans of which the world took nothing at all are no plans.
      if (ends.length === 0 && written.length > 0)
        await follow(
          { scope, ask, ends },
          mergePlans(await walkedPlans(scope, plans, walked), plainAction),
          scope.root,
        );
      // Where the budget ended before the ground was reached, the best of the walks is what there is.
      return worthiestNode(ends) ?? worthiestNode(walked);
    },
  }),
});

/** Room for a plan. */
const PLAN_TOKENS = 512;

async function writtenPlans(scope: SearchScope, count: number): Promise<Plan[]> {
  const prompt = `${situation(scope)}\n\nWrite the whole plan, one action a line and nothing else.`;
  const numbers = Array.from({ length: count }, (_, sample) => sample);
  const texts = await Promise.all(
    numbers.map((sample) => scope.ask(prompt, { answerTokens: PLAN_TOKENS, sample, kind: "plan" })),
  );
  return texts.flatMap((text) => {
    const actions = readActions(text ?? "");
    return actions.length === 0 ? [] : [{ actions, weight: 1 }];
  });
}

async function plansOfOneAnswer(scope: SearchScope, count: number): Promise<Plan[]> {
  const prompt = `${situation(scope)}\n\nWrite ${count} different whole plans, one action a line, an empty line between plans and nothing else.`;
  const text = await scope.ask(prompt, { answerTokens: count * PLAN_TOKENS, sample: 0, kind: "plan" });
  const plans = (text ?? "").split(/\n\s*\n/).map(readActions);
  return plans.flatMap((actions) => (actions.length === 0 ? [] : [{ actions, weight: 1 }])).slice(0, count);
}

async function walkedPlans(scope: SearchScope, count: number, walked: SearchNode[]): Promise<Plan[]> {
  const ends = await attempt(scope, count);
  walked.push(...ends);
  return ends.map((end) => ({ actions: stepsTo(end).map(({ action }) => action), weight: 0.1 + worthOf(end) }));
}

interface Ground {
  readonly scope: SearchScope;
  readonly ask: boolean;
  /** Where lines came to an end. */
  readonly ends: SearchNode[];
}

/** Walks the tree from a node on the ground; true when there is nothing more to do: it is solved, or nothing can be paid. */
async function follow(ground: Ground, tree: ActionNode, node: SearchNode): Promise<boolean> {
  const { scope, ends } = ground;
  for (let open = openChildren(tree); open.length > 0; open = openChildren(tree)) {
    if (open.length > 1) node.info = { ...node.info, planned: open.length };
    const child = await choose(ground, open, node);
    const next = await scope.take(node, child.action);
    if (next === undefined) {
      if (node !== scope.root) ends.push(node);
      return true;
    }
    child.closed = true;
    if (next.step?.valid === false && next.ending === undefined) continue;
    if (next.closed) {
      await scope.evaluate([next]);
      ends.push(next);
      if (isSolved(next)) return true;
      continue;
    }
    if (await follow(ground, child, next)) return true;
  }
  return tree.children.length === 0 && tree.ends > 0 ? await goOn(ground, node) : false;
}

/** The plan is at its end and the episode is not. */
async function goOn({ scope, ends }: Ground, node: SearchNode): Promise<boolean> {
  const end = await scope.walkOn(node);
  if (end === undefined) {
    ends.push(node);
    return true;
  }
  await scope.evaluate([end]);
  ends.push(end);
  return isSolved(end);
}

async function choose({ scope, ask }: Ground, open: readonly ActionNode[], node: SearchNode): Promise<ActionNode> {
  const [first] = open as [ActionNode];
  if (!ask || open.length === 1) return first;
  const [wish] = await scope.propose(node);
  if (wish === undefined) return first;
  discard(wish);
  for (const child of open) if (await scope.alike(child.action, wish.action)) return child;
  return first;
}

// Plans merged into one tree (Tree-Planner): what they begin with in common is one path, where they part is a fork.

export interface ActionNode {
  readonly action: string;
  /** Plans that pass here, each counted with its weight. */
  weight: number;
  /** How many of them end here. */
  ends: number;
  /** Tried on the ground and found impossible, or leading nowhere. */
  closed: boolean;
  readonly children: ActionNode[];
}

export interface Plan {
  readonly actions: readonly string[];
  readonly weight: number;
}

/** `same` gives one text to actions that mean the same. Children stand in the order in which plans brought them. */
export function mergePlans(plans: readonly Plan[], same: (action: string) => string): ActionNode {
  const root: ActionNode = createNode("");
  for (const { actions, weight } of plans) {
    let node = root;
    node.weight += weight;
    for (const action of actions) {
      const key = same(action);
      let child = node.children.find((one) => same(one.action) === key);
      if (child === undefined) node.children.push((child = createNode(action)));
      child.weight += weight;
      node = child;
    }
    node.ends += 1;
  }
  return root;
}

/** Children that may still be tried, the most wanted first; of equal ones the earlier. */
export function openChildren(node: ActionNode): ActionNode[] {
  return node.children.filter(({ closed }) => !closed).toSorted((left, right) => right.weight - left.weight);
}

/** All nodes below this one. */
export function countNodes(node: ActionNode): number {
  return node.children.reduce((total, child) => total + 1 + countNodes(child), 0);
}

function createNode(action: string): ActionNode {
  return { action, weight: 0, ends: 0, closed: false, children: [] };
}
