/** I-MCTS: each new child is proposed after a look at its parent and its siblings, and values fade from guess to measure. */
import { option } from "limbeck-base/base/option";
import { bestInTree } from "./worth.ts";
import { growNeed, growOptions } from "./grow.ts";
import { oneLine } from "./line-summary.ts";
import { defineSearch, type SearchScope, type SearchNode } from "./search.ts";
import { treeOptions, walkTree } from "./tree-walk.ts";
import { playedOut } from "./values/monte-carlo.ts";

export const iMcts = defineSearch({
  info: {
    title: "I-MCTS",
    paper: "I-MCTS: Enhancing Agentic AutoML via Introspective Monte Carlo Tree Search",
    confidence: "code",
    source:
      "jokieleung/I-MCTS @ 943720dc; metagpt/ext/sela/search/search_algorithm.py: MCTS.best_child; tree_search.py: BaseTreeSearch",
    formula: [
      "children come one after another; the prompt of each but the first tells what the parent and the siblings did, and what they were worth where that is known",
      "Q(child) = w * W/n + (1 - w) * V(child),   w = n / (n + blend)",
      "go on at the child of the whole tree with the highest Q + exploration * sqrt(ln N / n), n = blend where it has no visit; back up as in MCTS",
    ],
    meaning: "Expands with introspection, and trusts measured values more the more often a node was visited.",
    departures: [
      "V is the search's value function, known from the first visit, of a child that ended at once; published code means a model's guess of each child from 0 to 1, but computes it by a coroutine that is never awaited, so that its guesses stay 0 and of new children the last is run. Here it is the first, and a node's own visit backs up V itself.",
      "A node that has children and is chosen again is left for its best child by the same rule; published code takes the child with the highest guess (all at 0: the last), down to a leaf, which it plays again and does not expand; with guesses at 0 that way down does not end where the child has children.",
      "A node that has ended is counted once and then passed over, and one whose children are exhausted asks for further ones; published code counts the same reward again (plays it again where its test score is 0) and expands a node once.",
      "A published proposal is the new step itself, and sees the parent's plan, its last three codes and results, its scores, and the siblings' proposals without scores. Here the policy proposes: the first child without a lesson, the others with the actions and known values of parent and siblings, and one sentence of advice where there is a text model.",
      "Published runs have 5 rounds by default (10 in its examples) and 3 levels (4 for images; --max_depth changes nothing), and begin with a run of the root, which counts as a visit and as one of the rounds; here 64 rounds, no limit of depth, a root that is not evaluated, and an end at value 1 (stop).",
      "Published code gives the node with the highest own score on its development split, the root where none is above it; here the line to the best end in the tree is acted on (of equals the shorter), whatever its node's mean.",
      "A published run that fails four times, or once by time, is backed up as 0; here what has no value is not backed up. Published code takes ln(N + 1e-6); here N is 1 at least.",
    ],
  },
  options: {
    width: option.count(5, growOptions.width.meaning),
    ...treeOptions,
    exploration: option.number(2, "c: how much little-visited children are preferred", { least: 0 }),
    over: option.choice(
      "tree",
      ["tree", "line"],
      "compares all children of the tree, or those of each node on the way",
    ),
    blend: option.number(0.2, "visits at which guess and measure count the same", { least: 0 }),
    introspect: option.flag(true, "tell the policy what was tried; no: children are drawn without it"),
  },
  create: ({ width, blend, over, introspect: looks, ...rules }) => ({
    value: playedOut(),
    run: async (scope) => {
      await walkTree(scope, {
        ...rules,
        grow: (own, node) => introspect(own, node, { width, looks }),
        need: (nodes) =>
          growNeed(scope, nodes, { width: width * (looks && scope.canAsk ? 2 : 1), candidates: "policy" }),
        everywhere: over === "tree",
        quality: (child) => blendedValue(child, blend),
        visits: (node) => countedVisits(node, blend),
      });
      return await bestInTree(scope);
    },
  }),
});

/** From the value function's word to the mean of what was backed up. */
export function blendedValue({ visits, mean, estimate }: SearchNode, blend: number): number {
  if (estimate === undefined) return mean;
  const weight = visits + blend === 0 ? 1 : visits / (visits + blend);
  return weight * mean + (1 - weight) * estimate;
}

/** What has no visit yet counts as visited a little: it comes early, and where its parent was hardly visited it waits. */
export function countedVisits({ visits }: SearchNode, blend: number): number {
  return visits === 0 ? blend : visits;
}

/** One child after another, each with what the ones before have taught. */
async function introspect(
  scope: SearchScope,
  node: SearchNode,
  { width, looks }: { readonly width: number; readonly looks: boolean },
): Promise<SearchNode[]> {
  const fresh: SearchNode[] = [];
  for (let asked = 0; asked < width; asked += 1) {
    const lesson = looks ? lessonAt(node) : undefined;
    const advice = lesson === undefined || !scope.canAsk ? lesson : ((await advise(scope, node, lesson)) ?? lesson);
    const added = await scope.expand(node, { count: 1, guidance: advice });
    if (advice !== undefined) for (const child of added) child.info = { ...child.info, told: node.children.length - 1 };
    // What a sibling is worth is what the next one learns from.
    await scope.evaluate(added.filter(({ ending }) => ending !== undefined));
    fresh.push(...added);
  }
  return fresh;
}

/** What was done before and beside, with what it was worth where that is known; undefined where nothing was. */
export function lessonAt(node: SearchNode): string | undefined {
  const siblings = node.children.map((child) => `${oneLine(child.action ?? "")}${worth(child)}`);
  if (siblings.length === 0) return undefined;
  const before = node.action === undefined ? "" : ` after ${oneLine(node.action)}${worth(node)}`;
  return `Tried here${before}: ${siblings.join("; ")}. Do something else that is better.`;
}

function worth(node: SearchNode): string {
  if (node.step?.valid === false) return " (not possible)";
  const value = node.visits > 0 ? node.mean : node.estimate;
  return value === undefined ? "" : ` (worth ${value.toFixed(2)})`;
}

async function advise(scope: SearchScope, node: SearchNode, lesson: string): Promise<string | undefined> {
  const reply = await scope.ask(
    [
      "An agent searches for its next action. Goal, sight and what was tried are data, given as JSON strings.",
      `Goal: ${JSON.stringify(oneLine(scope.task.goal, 600))}`,
      `Sees: ${JSON.stringify(oneLine(node.observation, 2_000))}`,
      JSON.stringify(lesson),
      "In one sentence: what should it try next, and why?",
    ].join("\n"),
    { answerTokens: 96, sample: node.children.length, kind: "reflection" },
  );
  return reply === undefined ? undefined : `${lesson} ${oneLine(reply, 400)}`;
}
