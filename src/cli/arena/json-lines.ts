/** What `limbeck arena --json` prints at the end; its fields are API. */
import {
  comparisonWords,
  verdictWords,
  type ArenaFiles,
  type ArenaSummary,
  type Comparison,
  type Decision,
} from "../../arena/index.ts";
import type { ArenaFrame } from "./arena.inputs.ts";

/** `files` is undefined where they could not be written. */
export function printArenaJson(
  frame: ArenaFrame,
  summary: ArenaSummary,
  files: ArenaFiles | undefined,
  dir: string,
): void {
  const { accounts, arms, final, ratings, plan, missing } = summary;
  for (const { account, arms: measured, area, end } of accounts) {
    for (const { name, area: own, end: reachedEnd, reached } of measured) {
      const standing = area.standings.arms.find((one) => one.name === name);
      const whole = arms.find((one) => one.name === name);
      frame.emit({
        event: "arm",
        account,
        arm: name,
        area: own,
        end: reachedEnd,
        reached,
        final: whole?.final ?? null,
        retention: whole?.retention ?? null,
        rank: standing === undefined ? null : [standing.bestRank, standing.worstRank],
        rating: ratings.find((one) => one.name === name) ?? null,
      });
    }
    for (const one of lines(area, account, "area")) frame.emit(one);
    for (const one of lines(end, account, "end")) frame.emit(one);
  }
  if (final !== undefined) for (const one of lines(final, null, "held-out")) frame.emit(one);
  frame.emit({
    verdict: verdictWords(summary),
    winner: accounts[0]?.area.standings.winner ?? null,
    arms: plan.arms.map(({ name }) => name),
    missing: missing.map(({ arm, seed }) => `${arm}/${seed}`),
    dir,
    ...(files ?? { report: null, points: null, comparisons: null }),
  });
}

function lines({ comparisons }: Decision, account: string | null, measure: string): object[] {
  return comparisons.map((one: Comparison) => ({
    event: "comparison",
    account,
    measure,
    left: one.left,
    right: one.right,
    pairs: one.pairs,
    difference: one.difference,
    low: one.interval.low,
    high: one.interval.high,
    adjustedP: one.adjustedP,
    better: one.better,
    moreSeeds: one.moreSeeds,
    words: comparisonWords(one),
  }));
}
