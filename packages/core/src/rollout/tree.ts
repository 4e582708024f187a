/** Trees: episodes that share their beginning and part where it matters. A shared prefix is sampled and stored once. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import { branching, notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { createLabels, observedRound, pointAt, type Observed } from "./own-tokens.ts";
import { meaningClusters, semanticEntropy } from "../walk/tree/alike.ts";

const options = {
  when: option.choice("entropy", ["entropy", "disagreement", "depth", "every"], "where a path branches"),
  branches: option.count(2, "continuations at a branching", 2),
  nodes: option.count(8, "paths per task"),
  tokens: option.limit(null, "sampled tokens per task", { least: 1, whole: true }),
  roots: option.count(1, "independent beginnings per task"),
  threshold: option.number(0.5, "entropy from which a path branches, in nats", { least: 0 }),
  depth: option.count(4, "depth: steps between two branchings"),
  interval: option.count(1, "fewest steps between two branchings of a path, or two looks for disagreement"),
  inside: option.flag(false, "entropy: branch at the least certain token, not before the answer"),
  frontier: option.choice(
    "order",
    ["order", "documents"],
    "other than entropy: which paths branch first where places are short, as they come or those with most new documents",
  ),
  temperature: option.limit(null, "temperature of the first step; none: the policy's own at every step", {
    least: 0,
  }),
  cooling: option.share(0.5, "how much of its distance from 1 the temperature keeps with every step"),
};

type TreeOptions = OptionValues<typeof options>;

export const tree = defineStrategy({
  info: {
    title: "Tree",
    paper: "after TreePO, BranchGRPO and others; the general form",
    confidence: "practice",
    formula: [
      "every path takes one step at a time; where the condition holds it goes on as `branches` continuations, itself one of them",
      "entropy: max over the answer's tokens of H >= threshold;   depth: step = depth, 2 * depth, …;   every: each step",
      "disagreement: -sum over meanings c of n_c/k * ln(n_c/k) >= threshold, k = branches; one continuation of each meaning goes on",
      "frontier: documents   paths branch in the order in which each has retrieved most that those before it have not (TreePS-RAG)",
      "temperature given: step d is drawn at 1 + (temperature - 1) * cooling^d (after Dynamic-TreeRPO, whose noise goes by depth)",
      "at most `nodes` paths and `tokens` sampled tokens per task",
    ],
    meaning: "Branches episodes at chosen steps into several continuations that share everything before.",
    departures: [
      "Where the policy does not score tokens, -ln p of each drawn token stands for its entropy.",
      "Answers mean the same when the actions are equal but for case and space, or lead to the same state.",
      "Where paths compete for the last nodes, the least certain go first.",
      "Dynamic-TreeRPO is for image models, and only its abstract was read: here its noise is the temperature of a step, hot where all paths begin.",
    ],
  },
  needs: ["fork"],
  effect: {
    ...branching,
    further: (episodes) => {
      const heated = notedEpisodes("heated")(episodes);
      return heated === 0 ? {} : { heated };
    },
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      if (options.when === "entropy" && !scope.agent.exact) {
        throw new EngineError(
          "needs-unmet",
          "tree with when: entropy needs a policy with exact tokens; give one, or use when: disagreement, depth or every.",
          { details: { missing: ["tokens"] } },
        );
      }
      const walks = options.nodes * (options.when === "disagreement" ? options.branches : 1);
      await scope.each(scope.tasks, (own, task) => grow(own, task, options), { walks });
    },
  }),
});

/** A tree as it grows. */
interface Growth {
  readonly scope: Scope;
  readonly options: TreeOptions;
  readonly labelFor: (walk: Walk) => number;
  /** Step of each path's last branching. */
  readonly branchedAt: Map<Walk, number>;
  paths: number;
}

async function grow(scope: Scope, task: Task, options: TreeOptions): Promise<void> {
  const growth: Growth = { scope, options, labelFor: createLabels(), branchedAt: new Map(), paths: 0 };
  let active: Walk[] = [];
  for (const root of range(Math.min(options.roots, options.nodes))) {
    const walk = await scope.open(task, root, { bookmarks: options.when === "entropy" });
    if (walk !== undefined) active.push(walk);
  }
  growth.paths = active.length;
  while (active.length > 0) {
    await cut(growth, active);
    if (options.temperature !== null) for (const walk of active) heat(walk, options.temperature, options.cooling);
    active = (await takeRound(growth, active)).filter(({ ending }) => ending === undefined);
  }
}

/** The temperature of its next step; the tokens keep it, the episode says that there was one. */
function heat(walk: Walk, first: number, cooling: number): void {
  walk.temperature = 1 + (first - 1) * cooling ** walk.depth;
  walk.note({ heated: first });
}

/** Stops the youngest paths until what is left can surely say its next answers within the tree's tokens. */
async function cut({ scope, options }: Growth, active: Walk[]): Promise<void> {
  while (active.length > 0 && !canSay(scope, options, active.length)) await active.pop()?.stop("tree tokens");
}

function canSay({ agent, purse }: Scope, { tokens }: TreeOptions, answers: number): boolean {
  return tokens === null || purse.spent.sampledTokens + answers * agent.answerTokens <= tokens;
}

/** One step of every path; gives the paths that are there afterwards. */
async function takeRound(growth: Growth, active: readonly Walk[]): Promise<readonly Walk[]> {
  const { scope, options } = growth;
  if (options.when === "disagreement") return await disagree(growth, active);
  if (options.when === "entropy") {
    const observed = await observedRound(scope, active);
    return [...active, ...(await branchWhereUnsure(growth, active, observed))];
  }
  const all = [...active];
  for (const walk of frontier(growth, active))
    if (isDue(growth, walk)) all.push(...(await forks(growth, walk, all.length)));
  await scope.together(all, (walk) => walk.step());
  return all;
}

function frontier({ options }: Growth, active: readonly Walk[]): readonly Walk[] {
  return options.frontier === "documents" ? byDocuments(active) : active;
}

function isDue({ options: { when, depth, interval }, branchedAt }: Growth, walk: Walk): boolean {
  if (when === "every") return true;
  if (when === "depth") return walk.depth > 0 && walk.depth % depth === 0;
  const last = branchedAt.get(walk);
  return last === undefined || walk.depth - last >= interval;
}

/** Further continuations from where a path stands, within the budget of nodes and tokens. */
async function forks(growth: Growth, walk: Walk, open: number): Promise<Walk[]> {
  const { scope, options, branchedAt } = growth;
  const { depth } = walk;
  const others: Walk[] = [];
  for (let more = 1; more < options.branches && growth.paths < options.nodes; more += 1) {
    if (!canSay(scope, options, open + others.length + 1)) break;
    const other = await walk.fork(growth.labelFor(walk));
    if (other === undefined) break;
    growth.paths += 1;
    others.push(other);
  }
  if (others.length > 0) for (const path of [walk, ...others]) branchedAt.set(path, depth);
  return others;
}

async function branchWhereUnsure(
  growth: Growth,
  active: readonly Walk[],
  observed: readonly Observed[],
): Promise<Walk[]> {
  const { scope, options, branchedAt, labelFor } = growth;
  const unsure = observed
    .map(({ walk, step, doubts }) => ({ walk, step, peak: Math.max(0, ...doubts), token: peakOf(doubts) }))
    .filter(({ peak }) => peak >= options.threshold)
    .toSorted((left, right) => right.peak - left.peak);
  const added: Walk[] = [];
  for (const { walk, step, token } of unsure) {
    const last = branchedAt.get(walk);
    if (step === undefined || (last !== undefined && step.index - last < options.interval)) continue;
    const point = pointAt({ step: step.index, token: options.inside ? token : 0 });
    for (let more = 1; more < options.branches && growth.paths < options.nodes; more += 1) {
      if (!canSay(scope, options, active.length + added.length + 1)) break;
      const other = await walk.branchAt(point, labelFor(walk));
      if (other === undefined) break;
      growth.paths += 1;
      added.push(other);
      branchedAt.set(walk, step.index).set(other, step.index);
    }
  }
  return added;
}

function peakOf(doubts: Float32Array): number {
  let peak = 0;
  for (let at = 1; at < doubts.length; at += 1) if ((doubts[at] as number) > (doubts[peak] as number)) peak = at;
  return peak;
}

/** Tries each due step several times and goes on with one continuation of each meaning. */
async function disagree(growth: Growth, active: readonly Walk[]): Promise<readonly Walk[]> {
  const { scope, options } = growth;
  const families: Walk[][] = [];
  let open = active.length;
  for (const walk of frontier(growth, active)) {
    const probes = isDue(growth, walk) ? await forks(growth, walk, open) : [];
    open += probes.length;
    families.push([walk, ...probes]);
  }
  const all = families.flat();
  const steps = await scope.together(all, (walk) => walk.step());
  const taken = new Map(all.map((walk, at) => [walk, steps[at]]));
  const kept: Walk[] = [];
  for (const family of families) {
    // Who could not take the step has no say.
    const voices = family.filter((walk) => taken.get(walk) !== undefined);
    const clusters = meaningClusters(
      voices.map((walk) => ({ action: taken.get(walk)?.action ?? "", stateKey: walk.stateKey })),
    );
    const isDivided = semanticEntropy(clusters) >= options.threshold;
    for (const walk of family) {
      const place = voices.indexOf(walk);
      const isNew = place >= 0 && clusters.indexOf(clusters[place] as number) === place;
      if (walk === family[0] || (isDivided && isNew)) kept.push(walk);
      else if (walk.ending === undefined) {
        await walk.stop("same meaning");
        growth.paths -= 1;
      }
    }
  }
  return kept;
}

// Which paths of a tree come first where places are short: those that have found what the others have not (TreePS-RAG).

/** Places in the order in which each brings most that those before it do not have; of equals the first. */
export function byNew(found: readonly ReadonlySet<string>[]): number[] {
  const left = [...found.keys()];
  const known = new Set<string>();
  const order: number[] = [];
  while (left.length > 0) {
    const fresh = left.map((at) => [...(found[at] ?? [])].filter((one) => !known.has(one)).length);
    const [best] = left.splice(fresh.indexOf(Math.max(...fresh)), 1) as [number];
    for (const one of found[best] ?? []) known.add(one);
    order.push(best);
  }
  return order;
}

/** Documents that a path has retrieved, as worlds of questions name them in a step's info. */
export function documentsOf({ episode }: Pick<Walk, "episode">): Set<string> {
  return new Set(
    episode.flatMap(({ info }) => {
      const passages = info?.["passages"];
      return Array.isArray(passages) ? passages.map(String) : [];
    }),
  );
}

export function byDocuments(walks: readonly Walk[]): Walk[] {
  return byNew(walks.map(documentsOf)).map((at) => walks[at] as Walk);
}
