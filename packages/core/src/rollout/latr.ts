/** LATR: branches at tokens where two were about as likely, looks ahead, and prunes what stays similar to its parent. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import { branching } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { createLabels, isBirthplace, ownTokens, pointAt, sayTokens, type OwnToken } from "./own-tokens.ts";

export interface LatrThresholds {
  /** The runner-up must be more likely than this. */
  readonly absolute: number;
  /** And less than this behind the first. */
  readonly relative: number;
}

/** p2 > absolute and p1 - p2 < relative, whichever of the two was drawn first. */
export function isFork(one: number, other: number, { absolute, relative }: LatrThresholds): boolean {
  return Math.min(one, other) > absolute && Math.abs(one - other) < relative;
}

/** What a drawn token must satisfy if there is a fork at it: from p1 - p2 < relative and p1 + p2 <= 1, p1 < (1 + relative) / 2. */
export function mayFork(drawn: number, { absolute, relative }: LatrThresholds): boolean {
  return drawn > absolute && drawn < (1 + relative) / 2;
}

/** Share of the group that comes from the tree in a rollout, by its number from 1: 1, then 0.75, 0.5 and 0.25 from the 100th, 200th and 300th on. */
export function treeShare(rollout: number): number {
  return Math.max(0.25, 1 - 0.25 * Math.floor(rollout / 100));
}

const measures = {
  edit: {
    threshold: 0.4,
    isSimilar: (left: number[], right: number[], limit: number) => editDistance(left, right) < limit,
  },
  suffix: {
    threshold: 0.2,
    isSimilar: (left: number[], right: number[], limit: number) => suffixMatch(left, right) > limit,
  },
  rouge: { threshold: 0.5, isSimilar: (left: number[], right: number[], limit: number) => rougeL(left, right) > limit },
} as const;

/** A look sooner than this sees nothing but the second token. */
const SOONEST = 3;

function lookOption(percent: number, meaning: string) {
  return option.limit(null, `${meaning}; none: ${percent}% of what its parent says from there on`, {
    least: 1,
    whole: true,
  });
}

/** After how many tokens a branch is looked at, the soonest first, where its parent says so many from the fork on. */
export function looksOf(
  { firstLook, secondLook, thirdLook }: Pick<LatrOptions, "firstLook" | "secondLook" | "thirdLook">,
  tokens: number,
): number[] {
  const sized = (percent: number): number => Math.max(SOONEST, Math.round((percent / 100) * tokens));
  const looks = [firstLook ?? sized(20), secondLook ?? sized(30), thirdLook ?? sized(50)];
  return [...new Set(looks)].toSorted((left, right) => left - right);
}

const options = {
  size: option.count(8, "episodes per task"),
  absolute: option.share(0.25, "least probability of the second token"),
  relative: option.share(0.15, "most the second may be behind the first"),
  firstLook: lookOption(20, "tokens after which a branch is looked at"),
  secondLook: lookOption(30, "the same, the second time"),
  thirdLook: lookOption(50, "the same, the third time"),
  measure: option.choice("edit", ["edit", "suffix", "rouge"], "how branch and parent are compared"),
  similar: option.limit(null, "threshold of the measure. Default: its own", { least: 0, most: 1 }),
  tries: option.count(4, "draws of a second token, per place of the group"),
  draws: option.count(4, "draws of a second token at one fork"),
  decay: option.flag(true, "the tree's share falls with the number of rollouts"),
};

type LatrOptions = OptionValues<typeof options>;

export const latr = defineStrategy({
  info: {
    title: "LATR",
    paper: "Lookahead Tree-Based Rollouts for Enhanced Trajectory-Level Exploration in RLVR",
    confidence: "code",
    source:
      "starreeze/latr @ 2adb0edf; model/utils.py: BranchDynamicParam, KeyTokenGenConfigMixin; model/sample_filter.py: RolloutFilter",
    formula: [
      "at a token: branch when p2 > absolute and p1 - p2 < relative and the group has a place left; the earliest token first, then the older path",
      "without looks: 20%, 30% and 50% of what the parent says from the fork on, at least 3 tokens",
      "firstLook, secondLook and thirdLook tokens later the branch is pruned when edit distance / length < 0.4 (edit), an end of one that stands in the other > 0.2 (suffix) or ROUGE-L > 0.5 (rouge)",
      "a pruned branch gives its place back; ordinary episodes fill the group",
      "share of the group that may come from the tree: 1, then 0.75, 0.5, 0.25 from the 100th, 200th, 300th rollout on",
    ],
    meaning:
      "Makes a group diverse by branching where two tokens were close and dropping branches that come to the same.",
    departures: [
      "Published looks are 20, 30 and 50 tokens, for answers of thousands; here they are as many percent of the parent's answer.",
      "While it grows the tree, for 1,024 tokens at most (512 for Countdown), published code takes the likeliest token everywhere and forces the second one at a fork; what follows is sampled. Here every token is sampled as its log-probability says, the second one too: a draw that is the parent's token again, or too unlikely, is stopped after this one token, counts as a try, and is made again up to `draws` times.",
      "Paths are walked one after the other, so a branch that is pruned has never kept another from its place, and has none of its own; published code removes these with it.",
      "Published code fills the places that the tree leaves free with copies of the root; here ordinary episodes do. At most `tries` draws are made for each place of the tree, which is ours: published code goes on to the end of its tokens, or until 98% of the places of all tasks together are full (95.5% at the end of its 512 tokens for Countdown), where a group whose paths have all ended counts as full.",
      "The thresholds are those of the published script for Countdown, the shares those of the one for mathematics. Mathematics has 0.15 and 0.25, and prunes by suffix and ROUGE-L together, here by one measure; Countdown has shares of 0.75, 0.5, 0.25 and 0 from the 10th, 20th, 80th and 200th rollout on.",
      "Looking ahead counts the policy's own tokens, over the steps of the world. A fork is between the parent's token and any other that is drawn, in published code between the two likeliest; the last token of an answer has none. The exception for mathematical symbols is left out: published code, for both tasks, takes branches whose parent goes on with such a symbol, a figure or a blank out of the comparison but not out of its list of branches, so that a likeness is then charged to another branch.",
    ],
  },
  needs: ["fork", "tokens"],
  effect: branching,
  options,
  create: (options) => {
    let rollouts = 0;
    return {
      run: async (scope) => {
        rollouts += 1;
        const fromTree = Math.max(1, Math.round(options.size * (options.decay ? treeShare(rollouts) : 1)));
        const walks = options.size + options.tries * options.size;
        await scope.each(scope.tasks, (own, task) => roll(own, task, fromTree, options), { walks });
      },
      save: () => ({ rollouts }),
      load: (state) => {
        if (typeof state["rollouts"] !== "number") {
          throw new EngineError("bad-state", "What LATR remembers is {rollouts: NUMBER}; this is something else.");
        }
        ({ rollouts } = state);
      },
    };
  },
});

interface Candidate extends OwnToken {
  readonly walk: Walk;
  readonly age: number;
  /** Own tokens of the policy in the whole episode before it. */
  readonly time: number;
  /** Draws of a second token that are left. */
  readonly draws: number;
}

async function roll(scope: Scope, task: Task, fromTree: number, options: LatrOptions): Promise<void> {
  const root = await scope.open(task, 0, { bookmarks: true });
  if (root === undefined) return;
  await root.advance();
  const leaves = [root];
  const labelFor = createLabels();
  let waiting = forksOf(root, 0, 0, options);
  for (let tries = options.tries * (fromTree - 1); tries > 0 && leaves.length < fromTree; tries -= 1) {
    const [next, ...rest] = waiting;
    if (next === undefined) break;
    waiting = rest;
    const branch = await next.walk.branchAt(pointAt(next), labelFor(next.walk));
    if (branch === undefined) break;
    if (!(await startsAnew(branch, next, options))) {
      if (next.draws > 1) waiting = [{ ...next, draws: next.draws - 1 }, ...waiting];
      continue;
    }
    if (!(await staysDifferent(branch, next, options))) continue;
    waiting = [...waiting, ...forksOf(branch, leaves.length, next.time, options)].toSorted(
      (left, right) => left.time - right.time || left.age - right.age,
    );
    leaves.push(branch);
  }
  const others = range(options.size - leaves.length);
  await scope.each(others, async (own, at) => (await own.open(task, at + 1))?.advance());
}

function forksOf(walk: Walk, age: number, before: number, thresholds: LatrOptions): Candidate[] {
  return ownTokens(walk)
    .map((own, place) => ({ ...own, walk, age, time: before + place, draws: thresholds.draws }))
    .filter((own) => !own.last && !isBirthplace(walk, own) && mayFork(Math.exp(own.logprob), thresholds));
}

/** Draws the token anew; stops the branch unless it is another one and about as likely. */
async function startsAnew(branch: Walk, { id, logprob }: Candidate, thresholds: LatrThresholds): Promise<boolean> {
  await branch.speak(1);
  const stream = branch.trajectory().streams.at(-1);
  const drawn = stream?.mask.at(-1) === 1 ? stream.ids.at(-1) : undefined;
  const other = Math.exp(stream?.logprobs?.at(-1) ?? Number.NEGATIVE_INFINITY);
  if (drawn !== undefined && drawn !== id && isFork(Math.exp(logprob), other, thresholds)) return true;
  await branch.stop("no second token");
  return false;
}

/** All tokens that a walk sampled itself, an unfinished answer included. */
function saidIds(walk: Walk): number[] {
  return walk.trajectory().streams.flatMap(({ ids, mask }) => [...ids].filter((_, at) => mask[at] === 1));
}

/** Walks the branch on, looking at it three times; false when it was pruned. */
async function staysDifferent(branch: Walk, from: Candidate, options: LatrOptions): Promise<boolean> {
  const theirs = ownTokens(from.walk)
    .filter(({ step, token }) => step > from.step || (step === from.step && token >= from.token))
    .map(({ id }) => id);
  const { threshold, isSimilar } = measures[options.measure];
  for (const look of looksOf(options, theirs.length)) {
    await sayTokens(branch, look - saidIds(branch).length);
    const ours = saidIds(branch);
    // Where either has ended there is nothing to compare any more.
    if (branch.ending !== undefined || ours.length < look || theirs.length < look) break;
    if (!isSimilar(ours.slice(0, look), theirs.slice(0, look), options.similar ?? threshold)) continue;
    await branch.stop("similar to its parent");
    return false;
  }
  await branch.advance();
  return true;
}

// How alike two token sequences are, in the three ways LATR knows.

/** Edits that turn one into the other, over the longer length; 0 for equal, 1 for nothing in common. */
export function editDistance(left: readonly number[], right: readonly number[]): number {
  const longest = Math.max(left.length, right.length);
  if (longest === 0) return 0;
  let above = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [row, token] of left.entries()) {
    const next = [row + 1];
    for (const [column, other] of right.entries()) {
      const swap = (above[column] as number) + (token === other ? 0 : 1);
      next.push(Math.min(swap, (above[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    above = next;
  }
  return (above[right.length] as number) / longest;
}

/** The longest end of one that stands anywhere in the other, over the longer length. */
export function suffixMatch(left: readonly number[], right: readonly number[]): number {
  const shared = Math.max(endFoundIn(left, right), endFoundIn(right, left));
  return shared / Math.max(left.length, right.length, 1);
}

function endFoundIn(tokens: readonly number[], other: readonly number[]): number {
  let most = 0;
  for (let end = other.length; end > most; end -= 1) {
    let shared = 0;
    while (shared < Math.min(tokens.length, end) && tokens.at(-1 - shared) === other[end - 1 - shared]) shared += 1;
    most = Math.max(most, shared);
  }
  return most;
}

/** ROUGE-L: 2 * longest common subsequence / sum of the lengths. */
export function rougeL(left: readonly number[], right: readonly number[]): number {
  let above = Array.from({ length: right.length + 1 }, () => 0);
  for (const token of left) {
    const next = [0];
    for (const [column, other] of right.entries()) {
      const longest =
        token === other ? (above[column] as number) + 1 : Math.max(above[column + 1] as number, next[column] as number);
      next.push(longest);
    }
    above = next;
  }
  return (2 * (above[right.length] as number)) / Math.max(left.length + right.length, 1);
}
