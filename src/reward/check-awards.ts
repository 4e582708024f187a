/** Whether what a reward from a user's file gave is an answer: a list for each trajectory, and scores that are numbers. */
import { badAnswer } from "../base/parts/contain.ts";
import { kindOfValue, type PartHome } from "../base/parts/part.ts";

export function checkAwards<Given>(given: Given, batch: readonly { readonly id: string }[], home: PartHome): Given {
  const fault = awardsFault(given, batch);
  if (fault === undefined) return given;
  throw badAnswer(home, "score", fault);
}

function awardsFault(given: unknown, batch: readonly { readonly id: string }[]): string | undefined {
  if (typeof given !== "object" || given === null) return `it gave ${kindOfValue(given)}, not { awards }`;
  const awards: unknown = "awards" in given ? given.awards : undefined;
  if (!Array.isArray(awards)) return `"awards" is ${kindOfValue(awards)}, not a list`;
  if (awards.length !== batch.length) return `it gave ${awards.length} lists for ${batch.length} trajectories`;
  for (const [at, list] of awards.entries()) {
    const whose = `of the trajectory "${batch[at]?.id}"`;
    if (!Array.isArray(list)) return `what it gave ${whose} is ${kindOfValue(list)}, not a list of awards`;
    for (const award of list as unknown[]) {
      const score: unknown = typeof award === "object" && award !== null && "score" in award ? award.score : undefined;
      const fault = scoreFault(score);
      if (fault !== undefined) return `the score ${whose} is ${fault}`;
    }
  }
  return undefined;
}

function scoreFault(score: unknown): string | undefined {
  const { kind, value } = (typeof score === "object" && score !== null ? score : {}) as Record<string, unknown>;
  if (kind === "unscored") return undefined;
  if (kind !== "scored") return `${kindOfValue(score)}, neither scored(a number) nor unscored(a reason)`;
  return Number.isFinite(value) ? undefined : `${String(value)}, which is not a finite number`;
}
