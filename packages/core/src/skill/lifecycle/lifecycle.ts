/** How a skill lives: what its uses say about it, how long that counts, and when it goes. */
import { confidence } from "limbeck-recorder/selection/offered-skill";
import type { LibrarySkill, SkillStatistics, Status } from "../library/library-skill.ts";

export { confidence } from "limbeck-recorder/selection/offered-skill";

export interface LifeOptions {
  /** Uses with an outcome before anything is concluded. Default: 3. */
  readonly leastUses?: number;
  readonly demoteBelow?: number;
  readonly promoteAbove?: number;
  /** Days after which what is known of a skill counts half. Default: 90. */
  readonly halfLifeDays?: number;
  /** Retired when its faded utility is below this and it was not used for two half-lives. Default: 0.1. */
  readonly retireBelow?: number;
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 90;

/**
 * Active, advisory, archived: one step down below 0.4, one step up above 0.7. Others are for people and for lift.
 *
 * @example
 * import { NO_STATISTICS } from "limbeck-core/skill/library/library-skill";
 *
 * const statistics = { ...NO_STATISTICS, uses: 4, failures: 4 };
 * console.log(statusByUse({ status: "active", statistics })); // advisory
 */
export function statusByUse(
  skill: Pick<LibrarySkill, "status" | "statistics" | "lift">,
  { leastUses = 3, demoteBelow = 0.4, promoteAbove = 0.7 }: LifeOptions = {},
): Status {
  const { status, statistics, lift } = skill;
  if (statistics.successes + statistics.failures < leastUses) return status;
  const sure = confidence(statistics);
  if (sure < demoteBelow) return status === "active" ? "advisory" : status === "advisory" ? "archived" : status;
  // Only measured lift makes a skill active for the first time; uses can bring it back.
  return sure > promoteAbove && status === "advisory" && lift?.verdict === "helps" ? "active" : status;
}

/** U / 2^(days since the last use / half-life); U itself where it was never used or the clock says nothing. */
export function fadedUtility(
  { utility, lastUsed }: SkillStatistics,
  nowMs: number,
  { halfLifeDays = HALF_LIFE_DAYS }: LifeOptions = {},
): number {
  const days = lastUsed === undefined ? 0 : Math.max(0, (nowMs - Date.parse(lastUsed)) / DAY_MS);
  return Number.isFinite(days) ? utility / 2 ** (days / halfLifeDays) : utility;
}

/**
 * Whether it can be retired: long unused, and of little use when it was.
 *
 * @example
 * import { NO_STATISTICS } from "limbeck-core/skill/library/library-skill";
 *
 * const statistics = { ...NO_STATISTICS, uses: 5, utility: 0.3, lastUsed: "2026-01-01T00:00:00Z" };
 * console.log(hasExpired({ status: "active", statistics }, Date.parse("2026-12-01T00:00:00Z"))); // true
 */
export function hasExpired(
  { status, statistics }: Pick<LibrarySkill, "status" | "statistics">,
  nowMs: number,
  options: LifeOptions = {},
): boolean {
  if ((status !== "active" && status !== "advisory") || statistics.lastUsed === undefined) return false;
  const { halfLifeDays = HALF_LIFE_DAYS, retireBelow = 0.1 } = options;
  const idle = (nowMs - Date.parse(statistics.lastUsed)) / DAY_MS > 2 * halfLifeDays;
  return idle && fadedUtility(statistics, nowMs, options) < retireBelow;
}
