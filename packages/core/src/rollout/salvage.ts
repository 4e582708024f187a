/** SCOPE-B: of a failed episode the part before its first wrong step is kept, that step corrected, the rest walked anew. */
import { option } from "limbeck-base/base/option";
import { ask, eachMember, hasFailed, isOwnStep } from "./ask.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

export interface FirstErrorOptions {
  /** A step is wrong when its score is below this. */
  readonly threshold: number;
  /** So many low scores in a row make an error; the first of them is it. */
  readonly inARow: number;
}

/** The first wrong step; undefined when there is none. A step without a score is not wrong. */
export function firstError(
  scores: readonly (number | null)[],
  { threshold, inARow }: FirstErrorOptions,
): number | undefined {
  let low = 0;
  for (const [step, score] of scores.entries()) {
    low = score !== null && score < threshold ? low + 1 : 0;
    if (low === inARow) return step - inARow + 1;
  }
  return undefined;
}

/** Whether so much of the episode was right that it is worth keeping. */
export function isWorthSalvaging(
  error: number,
  steps: number,
  { leastPrefix, leastShare }: { readonly leastPrefix: number; readonly leastShare: number },
): boolean {
  return error >= leastPrefix && error / steps >= leastShare;
}

interface SalvageOptions extends FirstErrorOptions {
  readonly leastPrefix: number;
  readonly leastShare: number;
}

export const salvage = defineStrategy({
  info: {
    title: "Salvage (SCOPE-B)",
    paper: "Recycling Failures: Salvaging Exploration in RLVR via Fine-Grained Off-Policy Guidance",
    confidence: "inferred",
    formula: [
      "e = first step whose score is below threshold (inARow of them in a row)",
      "salvaged when e >= leastPrefix and e / steps >= leastShare: steps before e are kept, a corrector gives step e, the policy goes on",
    ],
    meaning: "Repairs failed episodes at their first wrong step instead of throwing them away.",
    departures: [
      "Only the abstract was read. Step scores come from the judge (judgement.stepScores); without them nothing is salvaged.",
      "Every salvaged episode is stored; info.salvage says whether it succeeded, and which failed episode a success takes the place of. The source keeps successes only.",
      "The corrected step is recorded as read (mask 0) and marked by info.source; the off-policy loss on it is the business of an objective.",
    ],
  },
  needs: ["fork", "judge", "corrector"],
  effect: {
    name: "repairs",
    counts: "failed episodes repaired",
    remedy: "No episode failed, or the corrector had nothing to say.",
    count: notedEpisodes("salvage"),
  },
  options: {
    size: option.count(8, "episodes per task before any is salvaged"),
    threshold: option.number(0.5, "a step with a lower score is wrong"),
    inARow: option.count(1, "low scores in a row that make an error"),
    leastPrefix: option.count(1, "fewest right steps worth keeping", 0),
    leastShare: option.share(0.3, "least share of right steps"),
  },
  create: ({ size, ...options }) => ({
    run: async (scope) => {
      await eachMember(scope, { size, walks: 2 }, async (own, task, member) => {
        const walk = await own.open(task, member, { bookmarks: true });
        await walk?.advance();
        if (walk !== undefined && hasFailed(walk)) await salvageOne(own, walk, options);
      });
    },
  }),
});

async function salvageOne({ corrector, signal }: Scope, walk: Walk, options: SalvageOptions): Promise<void> {
  const scores = walk.judgement?.stepScores ?? [];
  const step = firstError(scores, options);
  if (step === undefined || corrector === undefined || !isWorthSalvaging(step, scores.length, options)) return;
  if (!isOwnStep(walk, step)) return;
  const better = await ask(walk, signal, (finished, askOptions) => corrector(finished, step, askOptions));
  if (better === undefined) return;
  const repaired = await walk.branchAt({ step }, "salvage");
  await repaired?.impose(better.action, "corrector");
  await repaired?.advance();
  const success = repaired?.success === true;
  repaired?.note({ salvage: { step, success, ...(success ? { replaces: walk.id } : {}) } });
}
