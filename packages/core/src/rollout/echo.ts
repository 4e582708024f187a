/** ECHO: one path first; others leave it where the policy becomes unsure, and paths that go astray are cut. */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { TopTokens } from "limbeck-policy/policy/policy";
import { isOwnStep, payCall, range } from "./ask.ts";
import { branching } from "./effect.ts";
import { createLabels, pointAt } from "./own-tokens.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

const options = {
  size: option.count(8, "paths per task"),
  width: option.count(4, "most paths that go on from a place"),
  candidates: option.count(10, "likeliest tokens that are looked at, as if there were no others", 2),
  leastDepth: option.count(4, "tokens before the first place to branch at", 0),
  entropyHigh: option.number(3.5, "least entropy of a place to branch at, in nats", { least: 0 }),
  entropyLow: option.number(1, "entropy from which on it widens", { least: 0 }),
  rise: option.number(0.2, "least rise of the entropy over the four tokens before", { least: 0 }),
  confidenceMost: option.number(1.2, "most confidence of a place to branch at", { above: 0 }),
  leastConfidence: option.number(0.4, "confidence below which a path is cut", { least: 0 }),
  tailMost: option.number(1, "confidence of the last eight tokens at which a path is cut that has fallen three times", {
    least: 0,
  }),
  riseMost: option.number(0.5, "rise of the entropy above which a path is cut that has risen three times", {
    least: 0,
  }),
};

export type EchoOptions = OptionValues<typeof options>;

export const echo = defineStrategy({
  info: {
    title: "ECHO",
    paper: "ECHO: Entropy-Confidence Hybrid Optimization for Test-Time Reinforcement Learning",
    confidence: "code",
    source:
      "user683/ECHO @ 6f7b311b; verl/verl/workers/rollout/deepconf_branching.py: DeepConfBranchController; vllm_rollout_spmd.py: _generate_sequences_deepconf",
    formula: [
      "p over the `candidates` likeliest tokens;   H = -sum p ln p;   C = mean of -ln p over the five likeliest, larger is surer;   G = mean of C over four tokens",
      "branch at the first token of the first path with H >= entropyHigh, G <= confidenceMost, H - mean of the four before >= rise",
      "paths from there = clip(round(1 + 2 (H - entropyLow) / (entropyHigh - entropyLow) - (G - confidenceMost) / confidenceMost), 1, width)",
      "cut: G < leastConfidence; or the mean of C over eight tokens fell three times and is <= tailMost; or H rose three times and by > riseMost",
      "ordinary paths fill up to `size`",
    ],
    meaning: "Branches a path where the policy suddenly becomes unsure, and cuts paths that lose their way.",
    departures: [
      "With the published constants nothing branches: ten tokens have an entropy of at most 2.3, and the confidence of five is at least 1.6. The published scripts switch branching off, and the class reads a window that its settings spell otherwise. To branch, lower entropyHigh and raise confidenceMost. Of the cuts only that by rising entropy can then come.",
      "A branch draws its first token, which may be the path's own again; published code forces each of the likeliest ones but the path's own. So every stored token was sampled as its log-probability says.",
      "A path is cut at the end of the answer in which it goes astray, before that is carried out; published code cuts the text at the token, after the path and its branches are written. An answer that was cut is no place to branch at.",
      "Published code judges a branch by the tokens from the fork on, as here, but counts them from the start of the answer, and so cuts it that much too early.",
      "What was cut keeps the reward that the world gives so far; published code works a penalty out and does not use it. Ordinary paths are not cut, as in published code.",
      "A width that falls between two numbers is rounded up at a half; published code rounds a half to the even number.",
    ],
  },
  needs: ["fork", "tokens", "scorer"],
  effect: {
    ...branching,
    remedy:
      "No token was unsure enough: lower strategy.entropyHigh and strategy.rise, and raise strategy.confidenceMost.",
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      if (scope.agent.scorer?.topTokens === undefined) {
        throw new EngineError(
          "needs-unmet",
          "ECHO needs the likeliest tokens at every place, which this policy does not tell. Take a model of this process, or another strategy.",
        );
      }
      await scope.each(scope.tasks, (own, task) => grow(own, task, options), { walks: options.size });
    },
  }),
});

async function grow(scope: Scope, task: Task, options: EchoOptions): Promise<void> {
  const root = await scope.open(task, 0, { bookmarks: true });
  if (root === undefined) return;
  const places = (await play(scope, [root], options)).get(root) ?? [];
  const branches = await branchOff(root, places, options);
  await play(scope, branches, options);
  const others = range(options.size - 1 - branches.length);
  await scope.each(others, async (own, at) => (await own.open(task, at + 1))?.advance());
}

/** Continuations from the first place at which the path is to be left. */
async function branchOff(root: Walk, places: readonly Place[], options: EchoOptions): Promise<Walk[]> {
  const plan = planBranch(signsOf(places.map(({ logprobs }) => logprobs)), options);
  const place = plan && places[plan.place];
  if (plan === undefined || place === undefined || !isOwnStep(root, place.step)) return [];
  const { step, token } = place;
  const info = { echo: { step, token, width: plan.width } };
  const labelFor = createLabels();
  const branches: Walk[] = [];
  while (branches.length < Math.min(plan.width, options.size) - 1) {
    const branch = await root.branchAt(pointAt(place), labelFor(root), { info });
    if (branch === undefined) break;
    branches.push(branch);
  }
  return branches;
}

/** A token that a path sampled itself, and how likely the likeliest ones were there. */
interface Place {
  readonly step: number;
  /** Place in the path's own part of the answer. */
  readonly token: number;
  readonly logprobs: Float32Array;
}

/** Walks paths to their ends, or to where they are cut. */
async function play(scope: Scope, walks: readonly Walk[], options: EchoOptions): Promise<Map<Walk, Place[]>> {
  const seen = new Map(walks.map((walk): [Walk, Place[]] => [walk, []]));
  // What stands in the parent's answer is the parent's.
  const kept = new Map(walks.map((walk) => [walk, walk.said]));
  let active = walks.filter(({ ending }) => ending === undefined);
  while (active.length > 0) {
    await scope.together(active, (walk) => walk.speak(scope.agent.answerTokens));
    const found = await likeliestInHand(scope, active, options.candidates);
    const cut = new Map<Walk, string>();
    for (const walk of active) {
      const places = seen.get(walk) ?? [];
      const own = (found.get(walk) ?? []).slice(kept.get(walk));
      places.push(...own.map((logprobs, token) => ({ step: walk.depth, token, logprobs })));
      kept.delete(walk);
      const stop = planStop(signsOf(places.map(({ logprobs }) => logprobs)), options);
      if (stop !== undefined) cut.set(walk, stop.why);
    }
    await scope.together(active, async (walk) => {
      const why = cut.get(walk);
      await (why === undefined ? walk.step() : walk.stop(why, { scored: true }));
    });
    active = active.filter(({ ending }) => ending === undefined);
  }
  return seen;
}

/** The likeliest tokens at every token of the answers in hand; none where the scoring failed or cannot be paid. */
async function likeliestInHand(
  { agent: { scorer }, purse, signal }: Scope,
  walks: readonly Walk[],
  count: number,
): Promise<Map<Walk, Float32Array[]>> {
  const asked = walks.filter(({ ending, said }) => ending === undefined && said > 0);
  if (asked.length === 0 || !payCall(purse)) return new Map();
  const rows = asked.map((walk) => {
    const ids = walk.context();
    return { ids, mask: new Uint8Array(ids.length).fill(1, ids.length - walk.said) };
  });
  try {
    const tops = (await scorer?.topTokens?.(rows, { count, signal })) ?? [];
    return new Map(asked.map((walk, at) => [walk, lastOf(tops[at], walk.said)]));
  } catch {
    // Without them nothing is branched or cut at these answers.
    throwIfAborted(signal);
    return new Map();
  }
}

function lastOf(tops: TopTokens | undefined, tokens: number): Float32Array[] {
  if (tops === undefined) return [];
  const { logprobs, count } = tops;
  const first = logprobs.length / count - tokens;
  return range(tokens).map((at) => logprobs.slice((first + at) * count, (first + at + 1) * count));
}

// ECHO's arithmetic: what a token shows of the policy, where to branch and how widely, and where to cut.

/** Tokens over which confidence is meant, of a group and of a tail, and over which entropies are compared. */
const [GROUP, TAIL] = [4, 8];
/** The likeliest tokens that make up the confidence. */
const LIKELIEST = 5;
/** Checks in a row that cut a path. */
const IN_A_ROW = 3;
const LEAST = 1e-9;

export interface Sign {
  readonly entropy: number;
  /** Mean confidence of the last four tokens; larger is surer. */
  readonly group: number;
  /** The same of the last eight. */
  readonly tail: number;
  /** Entropy less the mean of the four tokens before; 0 at the first. */
  readonly rise: number;
}

/** From log-probabilities of the likeliest tokens at each place. */
export function signsOf(places: readonly ArrayLike<number>[]): Sign[] {
  const entropies: number[] = [];
  const confidences: number[] = [];
  return places.map((logprobs) => {
    const before = entropies.slice(-GROUP);
    const most = Math.max(...Array.from(logprobs));
    const odds = Array.from(logprobs, (logprob) => Math.exp(logprob - most)).toSorted((left, right) => right - left);
    const total = odds.reduce((sum, value) => sum + value, 0);
    const chances = odds.map((value) => value / total);
    const entropy = -chances.reduce((sum, value) => sum + Math.max(value, LEAST) * Math.log(Math.max(value, LEAST)), 0);
    entropies.push(entropy);
    confidences.push(-mean(chances.slice(0, LIKELIEST).map((value) => Math.log(value + LEAST))));
    const [group, tail] = [mean(confidences.slice(-GROUP)), mean(confidences.slice(-TAIL))];
    return { entropy, group, tail, rise: before.length === 0 ? 0 : entropy - mean(before) };
  });
}

/** How many paths go on from a place, the first included. */
export function branchWidth(
  { entropy, group }: Pick<Sign, "entropy" | "group">,
  { entropyHigh, entropyLow, confidenceMost, width }: EchoOptions,
): number {
  const unsure = (2 * (entropy - entropyLow)) / Math.max(entropyHigh - entropyLow, LEAST);
  const sure = (group - confidenceMost) / confidenceMost;
  return Math.min(width, Math.max(1, Math.round(1 + unsure - sure)));
}

/** The first place to branch at; undefined where there is none, or its width is 1. */
export function planBranch(
  signs: readonly Sign[],
  options: EchoOptions,
): { readonly place: number; readonly width: number } | undefined {
  const { leastDepth, entropyHigh, confidenceMost, rise } = options;
  const first = Math.min(leastDepth, signs.length - 1);
  const place = signs.findIndex(
    (sign, at) => at >= first && sign.entropy >= entropyHigh && sign.group <= confidenceMost && sign.rise >= rise,
  );
  const sign = signs[place];
  if (sign === undefined) return undefined;
  const width = branchWidth(sign, options);
  return width > 1 ? { place, width } : undefined;
}

/** The first place at which a path goes astray, and why. */
export function planStop(
  signs: readonly Sign[],
  { leastConfidence, tailMost, riseMost }: EchoOptions,
): { readonly place: number; readonly why: string } | undefined {
  let [falls, rises] = [0, 0];
  for (const [place, { group, tail, rise }] of signs.entries()) {
    falls = tail < (signs[place - 1]?.tail ?? Number.NEGATIVE_INFINITY) ? falls + 1 : 0;
    rises = rise > 0 ? rises + 1 : 0;
    if (group < leastConfidence) return { place, why: "low confidence" };
    if (falls >= IN_A_ROW && tail <= tailMost) return { place, why: "falling confidence" };
    if (rises >= IN_A_ROW && rise > riseMost) return { place, why: "rising entropy" };
  }
  return undefined;
}
