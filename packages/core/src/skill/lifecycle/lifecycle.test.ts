import { describe, expect, test } from "vitest";
import { foldUses } from "../library/statistics.ts";
import { NO_STATISTICS, type LiftRecord, type Status } from "../library/library-skill.ts";
import { confidence, fadedUtility, hasExpired, statusByUse } from "./lifecycle.ts";
import { distilCredit, explorationScore, selectionCredit } from "./skill1.ts";

const at = "2026-01-01T00:00:00.000Z";
const NOW = Date.parse(at);
const DAY = 86_400_000;

describe("by use", () => {
  const helped = { verdict: "helps" } as LiftRecord;
  const skill = (status: Status, successes: number, failures: number, lift?: LiftRecord) => ({
    status,
    statistics: { ...NO_STATISTICS, uses: successes + failures, successes, failures },
    ...(lift === undefined ? {} : { lift }),
  });

  test("confidence as in the worked example", () => {
    expect(confidence({ successes: 3, failures: 1 })).toBeCloseTo(0.666667, 6);
    expect(confidence({ successes: 1, failures: 4 })).toBeCloseTo(0.285714, 6);
  });

  test("one step down below 0.4 after three uses, one step up above 0.7 where lift was proven", () => {
    expect(statusByUse(skill("active", 3, 1))).toBe("active");
    expect(statusByUse(skill("active", 1, 4))).toBe("advisory");
    expect(statusByUse(skill("advisory", 1, 4))).toBe("archived");
    expect(statusByUse(skill("active", 0, 2))).toBe("active");
    expect(statusByUse(skill("advisory", 5, 0, helped))).toBe("active");
    expect(statusByUse(skill("advisory", 5, 0))).toBe("advisory");
    expect(statusByUse(skill("candidate", 9, 0, helped))).toBe("candidate");
  });

  test("utility fades, and what is long unused and of little use goes", () => {
    const used = { ...NO_STATISTICS, uses: 5, utility: 0.4, lastUsed: at };
    expect(fadedUtility(used, NOW + 90 * DAY)).toBeCloseTo(0.2, 10);
    expect(fadedUtility(NO_STATISTICS, NOW)).toBe(0);
    // 0.4 / 2^(190 / 90) = 0.0926, below 0.1; after 100 days it is 0.185.
    expect(hasExpired({ status: "active", statistics: used }, NOW + 190 * DAY)).toBe(true);
    expect(hasExpired({ status: "active", statistics: used }, NOW + 100 * DAY)).toBe(false);
    expect(hasExpired({ status: "candidate", statistics: used }, NOW + 900 * DAY)).toBe(false);
  });
});

describe("Skill1, the worked example", () => {
  test("utility 0.4 and a success give 0.43; the first use gives its reward", () => {
    const start = { ...NO_STATISTICS, uses: 3, utility: 0.4 };
    expect(foldUses([{ at, offered: true, success: true }], start).utility).toBeCloseTo(0.43, 12);
    expect(foldUses([{ at, offered: true, success: true, reward: 0.7 }]).utility).toBe(0.7);
    expect(foldUses([{ at, offered: false, success: true }])).toMatchObject({
      uses: 0,
      withoutUses: 1,
      withoutSuccesses: 1,
    });
  });

  test("credits and exploration", () => {
    expect(distilCredit(1, [0.4, 0.3, 0.1])).toBeCloseTo(0.18, 12);
    expect(distilCredit(0, [0.4, 0.3, 0.1])).toBeCloseTo(-0.12, 12);
    // mean of the candidates 0.8 / 3: 0.3 (1 - 0.266667) = 0.22
    expect(distilCredit(1, [0.4, 0.3, 0.1], { baseline: "mean" })).toBeCloseTo(0.22, 12);
    expect(distilCredit(1, [])).toBeCloseTo(0.3, 12);
    expect(selectionCredit(0.4)).toBeCloseTo(0.12, 12);
    expect(selectionCredit(undefined)).toBeUndefined();
    expect(explorationScore({ similarity: 0.8, utility: 0.4, uses: 4 }, 20, 0.5)).toBeCloseTo(1.590162, 6);
  });
});
