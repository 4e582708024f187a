/** Segment policy optimisation on trees (SPO-tree): what is written between two branchings earns the change of value. */
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { type BranchPoint, branchPoints, changes, fillStretches } from "./branch-points.ts";
import { entry, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupStatistics } from "./groups.ts";
import { childMeans, rowTree } from "./row-tree.ts";
import { outcomeAt } from "./scores.ts";
import { tokenArrays } from "./tokens.ts";

/** Differences below this are rounding. */
const NOTHING = 1e-12;

interface SpoTreeOptions {
  readonly form: string;
  readonly bestOf: number;
  readonly epsilon: number;
}

/** What each token earns: the change of value, and that of the best of k. */
interface Earned {
  readonly edges: Float64Array[];
  readonly bestOf: Float64Array[];
}

export const spoTree = defineCredit({
  info: {
    title: "SPO-tree",
    paper: "Segment Policy Optimization, arXiv 2505.23564",
    confidence: "code",
    source:
      "AIFrameResearch/SPO @ b9fc6a26; src/treetune/episode_generators/tree_episode_generator.py: TreeEpisodeUtils",
    formula: [
      "V(node) = mean of V over its children, a leaf its outcome;   A(edge) = V(child) - V(parent)",
      "grpo: divided by (std of the siblings + epsilon), the deviation over n",
      "bestOfWeight c > 0 adds c * (BoK(child) - BoK(parent)),   BoK(v) = 1 - (1 - v)^bestOf",
      "tokens whose probability is maskAbove or more get 0; rows without advantage are dropped",
    ],
    meaning: "Credits each segment of a sampled tree with how much it raised the chance of success.",
    departures: [
      "A segment is what lies between two branchings, over several steps or inside one; paths of a task hang from one root. With segment row each row is an edge, and a row that nobody branches from earns nothing.",
      "Published code leaves sure tokens out of the loss and out of the number that its mean divides by; here their advantage is 0, and they stay in that number.",
      "A published training whitens the advantages of each micro-batch over the tokens that are not sure; here nothing is whitened.",
      "Where published code uses the best-of-k part, it adds it to the child's value, here to the change of value. It drops edges whose change and best-of-k part, at weight 1, add up to exactly 0, and in its configuration for that part (use_pav) none; here rows whose tokens all get less than 1e-12 (option dropZero).",
      "Published trees have three levels of 6 branches, with segments of 30 to 1,333 tokens, and are played, scored and masked at temperature 0.6 (here 1), for the smaller model from the likeliest 0.9. Published code keeps edges for 8 updates, at most 32 a question. That is the business of rollout and recipe.",
    ],
  },
  needs: ["branches"],
  mayNeed: { oldLogprobs: "with maskAbove, on rows that have them" },
  options: {
    form: option.choice("rloo", ["rloo", "grpo"], "the difference, or that over the siblings' deviation"),
    segment: option.choice("stretch", ["stretch", "row"], "what an edge is: all between two branchings, or one row"),
    maskAbove: option.limit(0.9, "probability from which a token gets nothing", { least: 0, most: 1 }),
    bestOfWeight: option.number(0, "weight of the best-of-k part; 5 where published code uses it", { least: 0 }),
    bestOf: option.count(4, "k of the best-of-k part"),
    dropZero: option.flag(true, "leave rows without advantage out of training"),
    epsilon: option.number(1e-8, "added to the siblings' deviation", { least: 1e-12 }),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "Three branches of three leaves each.",
    batch: forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }),
  },
  compute: (batch, options) => {
    const { edges, bestOf } = options.segment === "row" ? byRow(batch, options) : byStretch(batch, options);
    const maskedTokens = maskSure(batch, options.maskAbove, [edges, bestOf]);
    const isNothing = (at: number): boolean =>
      entry(edges, at).every((edge, token) => {
        const total = edge + options.bestOfWeight * real(entry(bestOf, at), token);
        return Math.abs(total) < NOTHING;
      });
    const dropped = options.dropZero ? [...batch.rows.keys()].filter(isNothing) : [];
    return {
      terms: {
        edge: { weight: 1, perToken: edges },
        ...(options.bestOfWeight === 0 ? {} : { bestOf: { weight: options.bestOfWeight, perToken: bestOf } }),
      },
      metrics: { droppedEdges: dropped.length, maskedTokens },
      dropped,
    };
  },
});

/** The values that lie under one parent, and what is made of them. */
interface Node {
  readonly value: number;
  /** What differences below it are divided by. */
  readonly scale: number;
}

function byStretch(batch: IndexedBatch, options: SpoTreeOptions): Earned {
  const ways = branchPoints(batch);
  const { outcomeOf } = batch.index;
  const known = new Map<BranchPoint, Node>();
  /** After so many points of their ways, the trajectories are in these hands: the next point of each, or its end. */
  const nodeAfter = (through: Iterable<number>, passed: (trajectory: number) => number): Node => {
    const children = new Map<BranchPoint | number, number>();
    for (const trajectory of through) {
      const next = entry(ways, trajectory)[passed(trajectory)];
      if (next === undefined) children.set(trajectory, real(outcomeOf, trajectory));
      else if (!children.has(next)) children.set(next, nodeAt(next).value);
    }
    return nodeOf([...children.values()], options);
  };
  const nodeAt = (point: BranchPoint): Node => {
    const found = known.get(point) ?? nodeAfter(point.through, (at) => entry(ways, at).indexOf(point) + 1);
    known.set(point, found);
    return found;
  };
  const roots = tasksOf(batch).map((own) => nodeAfter(own, () => 0));
  const earned: Earned = { edges: tokenArrays(batch.rows), bestOf: tokenArrays(batch.rows) };
  for (const [trajectory, steps] of trajectoriesOf(batch)) {
    const way = entry(ways, trajectory);
    const nodes = [entry(roots, intAt(batch.index.taskOf, intAt(steps, 0))), ...way.map(nodeAt)];
    const levels = [...nodes.map(({ value }) => value), real(outcomeOf, trajectory)];
    const edges = changes(levels).map((change, at) => change / entry(nodes, at).scale);
    const best = changes(levels.map((value) => bestOfK(value, options)));
    for (const at of steps) {
      fillStretches(entry(earned.edges, at), entry(batch.rows, at), way, edges);
      fillStretches(entry(earned.bestOf, at), entry(batch.rows, at), way, best);
    }
  }
  return earned;
}

function nodeOf(values: readonly number[], { form, epsilon }: SpoTreeOptions): Node {
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const variance = values.reduce((sum, one) => sum + (one - value) ** 2, 0) / values.length;
  return { value, scale: form === "rloo" ? 1 : values.length === 1 ? 1 : Math.sqrt(variance) + epsilon };
}

/** Trajectories of each task. */
function tasksOf(batch: IndexedBatch): number[][] {
  const own = Array.from({ length: batch.index.tasks }, (): number[] => []);
  for (const [trajectory, steps] of trajectoriesOf(batch)) {
    own[intAt(batch.index.taskOf, intAt(steps, 0))]?.push(trajectory);
  }
  return own;
}

function byRow(batch: IndexedBatch, options: SpoTreeOptions): Earned {
  const { siblings } = rowTree(batch);
  const values = childMeans(rowTree(batch), (row) => outcomeAt(batch, row));
  const own = values.subarray(0, batch.rows.length);
  const above = (levels: Float64Array, at: number): number => real(levels, intAt(siblings.of, at));
  const rises = own.map((value, at) => value - above(values, at));
  const best = values.map((value) => bestOfK(value, options));
  const group = { singleton: "zero", deviation: "population", epsilon: options.epsilon };
  const scales = options.form === "rloo" ? undefined : groupStatistics(own, siblings, group).scales;
  const onTokens = (valueOf: (at: number) => number): Float64Array[] =>
    tokenArrays(batch.rows).map((tokens, at) => tokens.fill(valueOf(at)));
  return {
    edges: onTokens((at) => real(rises, at) / (scales === undefined ? 1 : above(scales, at))),
    bestOf: onTokens((at) => real(best, at) - above(best, at)),
  };
}

function bestOfK(value: number, { bestOf }: SpoTreeOptions): number {
  return 1 - (1 - value) ** bestOf;
}

/** Takes their part from tokens that the policy was sure of; gives how many there were. */
function maskSure({ rows }: IndexedBatch, above: number | null, parts: readonly Float64Array[][]): number {
  if (above === null) return 0;
  let masked = 0;
  for (const [at, { mask, logprobs }] of rows.entries()) {
    for (const [token, logprob] of (logprobs?.old ?? []).entries()) {
      if (mask[token] !== 1 || Math.exp(logprob) < above) continue;
      masked += 1;
      for (const part of parts) entry(part, at)[token] = 0;
    }
  }
  return masked;
}
