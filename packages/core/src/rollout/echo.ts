/** ECHO: as wide as the policy is unsure and the group confident; branches that stay poor are stopped. */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { createLabels, observedRound, type Observed } from "./own-tokens.ts";

const options = {
  size: option.count(8, "paths per task"),
  width: option.count(4, "most continuations of a step"),
  topTokens: option.count(20, "tokens whose entropy counts as 1", 2),
  keep: option.share(0.9, "weight of the past in the running confidence"),
  deviations: option.number(1, "how far below the mean is poor", { least: 0 }),
  checks: option.count(3, "poor checks in a row that stop a branch"),
  least: option.count(2, "branches that are always left"),
};

type EchoOptions = OptionValues<typeof options>;

export const echo = defineStrategy({
  info: {
    title: "ECHO",
    paper: "ECHO: Entropy-Confidence Hybrid Optimization for Test-Time Reinforcement Learning",
    confidence: "inferred",
    formula: [
      "after every step: H = mean token entropy / ln(topTokens), at most 1;   c = mean over open branches of exp(mean log p)",
      "continuations of the step = 1 + floor((width - 1) * H * c)",
      "stopped: running confidence (keep * old + (1 - keep) * new) below group mean - deviations * std at `checks` checks in a row; `least` are always left",
      "majority of the last actions of episodes that were not cut: share v, agreement and clip 0.1 + 0.2 v in info.echo",
    ],
    meaning:
      "Branches widely where the policy is unsure but the group is confident, and stops branches that stay poor.",
    departures: [
      "Only the abstract was read; constants are guesses. A check is a step.",
      "Where the policy does not score tokens, -ln p of each drawn token stands for its entropy.",
      "A path that others have left is not stopped: credit leaves out branches of paths that nobody scored.",
      "The shaped advantage A' = v A + b H is left to credit.",
    ],
  },
  needs: ["fork", "tokens"],
  effect: {
    name: "branches",
    counts: "continuations beside the first",
    remedy:
      "The policy was sure at every step, or the group was not: raise strategy.width or lower strategy.topTokens.",
    // A step of a single answer is the root, and its continuations are what is meant.
    count: (episodes) =>
      episodes.filter(({ parent, reward }) => parent !== undefined && reward.kind === "scored").length,
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      await scope.each(scope.tasks, (own, task) => grow(own, task, options), { walks: options.size });
    },
  }),
});

async function grow(scope: Scope, task: Task, options: EchoOptions): Promise<void> {
  const root = await scope.open(task, 0, { bookmarks: true });
  if (root === undefined) return;
  const labelFor = createLabels();
  const standings = new Map<Walk, Standing>();
  const parents = new Set<Walk>();
  const all = [root];
  let active = [root];
  while (active.length > 0) {
    const observed = await observedRound(scope, active);
    const confidence = mean(observed.map(saidConfidence));
    for (const seen of observed) {
      const { average, poor = 0 } = standings.get(seen.walk) ?? {};
      standings.set(seen.walk, { average: nextAverage(average, saidConfidence(seen), options.keep), poor });
    }
    for (const { walk, step, doubts } of observed) {
      if (step === undefined) continue;
      const width = branchWidth(options.width, entropyShare(doubts, options.topTokens), confidence);
      for (let more = 1; more < width && all.length < options.size; more += 1) {
        const other = await walk.branchAt({ step: step.index }, labelFor(walk));
        if (other === undefined) break;
        all.push(other);
        active.push(other);
        parents.add(walk);
      }
    }
    active = active.filter(({ ending }) => ending === undefined);
    active = await stopPoor(active, standings, parents, options);
  }
  vote(all);
}

function saidConfidence({ walk, step }: Observed): number {
  return confidenceOf((step === undefined ? undefined : walk.answer(step.index)?.logprobs) ?? []);
}

function entropyShare(doubts: Float32Array, topTokens: number): number {
  return doubts.length === 0 ? 0 : mean(doubts) / Math.log(topTokens);
}

/** New branches have no standing yet and are not compared. */
async function stopPoor(
  active: readonly Walk[],
  standings: Map<Walk, Standing>,
  parents: ReadonlySet<Walk>,
  { deviations, checks, least }: EchoOptions,
): Promise<Walk[]> {
  const compared = active.filter((walk) => standings.has(walk));
  if (compared.length < 2) return [...active];
  const counted = countPoor(
    compared.map((walk) => standings.get(walk) as Standing),
    deviations,
  );
  for (const [at, walk] of compared.entries()) standings.set(walk, counted[at] as Standing);
  const leaves = compared.filter((walk) => !parents.has(walk));
  const others = active.length - leaves.length;
  const own = leaves.map((walk) => standings.get(walk) as Standing);
  const stopped = new Set(toStop(own, checks, Math.max(0, least - others)).map((at) => leaves[at] as Walk));
  for (const walk of stopped) await walk.stop("poor confidence");
  return active.filter((walk) => !stopped.has(walk));
}

/** Episodes that were cut do not vote. */
function vote(all: readonly Walk[]): void {
  const voters = all.filter(({ ending }) => ending === "terminated");
  const answerOf = (walk: Walk): string => walk.episode.at(-1)?.action ?? "";
  const majority = majorityOf(voters.map(answerOf));
  if (majority === undefined) return;
  const { answer, share } = majority;
  for (const walk of voters) {
    walk.note({ echo: { majorityShare: share, agrees: answerOf(walk) === answer, clip: clipRange(share) } });
  }
}

// ECHO's arithmetic: how wide to branch, whom to stop, and what a majority is worth.

/** exp of the mean log-probability: the confidence of the sampled tokens; 1 for none. */
export function confidenceOf(logprobs: ArrayLike<number>): number {
  return logprobs.length === 0 ? 1 : Math.exp(mean(logprobs));
}

/** 1 + floor((most - 1) * H * c), H the entropy as a share of its largest, c the confidence of the group. */
export function branchWidth(most: number, entropyShare: number, confidence: number): number {
  return 1 + Math.floor((most - 1) * Math.min(1, Math.max(0, entropyShare)) * confidence);
}

export interface Standing {
  /** Running mean of the confidence. */
  readonly average: number;
  /** Checks in a row at which it was poor. */
  readonly poor: number;
}

/** The next running mean; the first value as it is. */
export function nextAverage(average: number | undefined, value: number, keep: number): number {
  return average === undefined ? value : keep * average + (1 - keep) * value;
}

/** Counts the checks at which each lies below mean - deviations * std of all. */
export function countPoor(all: readonly Standing[], deviations: number): Standing[] {
  const averages = all.map(({ average }) => average);
  const least = mean(averages) - deviations * deviation(averages);
  return all.map(({ average, poor }) => ({ average, poor: average < least ? poor + 1 : 0 }));
}

/** Who is stopped: poor for so many checks in a row, the poorest first, and always so many are left. */
export function toStop(all: readonly Standing[], checks: number, keepLeast: number): number[] {
  const poor = [...all.entries()].filter(([, standing]) => standing.poor >= checks);
  return poor
    .toSorted(([, left], [, right]) => left.average - right.average)
    .slice(0, Math.max(0, all.length - keepLeast))
    .map(([at]) => at);
}

export interface Majority {
  readonly answer: string;
  /** Its share of the votes. */
  readonly share: number;
}

/** The answer with the most votes, of equal ones the first seen; undefined without votes. */
export function majorityOf(answers: readonly string[]): Majority | undefined {
  const votes = new Map<string, number>();
  for (const answer of answers) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  let found: Majority | undefined;
  for (const [answer, count] of votes) {
    if (found === undefined || count / answers.length > found.share) found = { answer, share: count / answers.length };
  }
  return found;
}

/** Clip range for a majority of this share: low + (high - low) * share. */
export function clipRange(share: number, low = 0.1, high = 0.3): number {
  return low + (high - low) * share;
}
