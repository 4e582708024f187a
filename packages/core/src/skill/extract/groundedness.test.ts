import { describe, expect, test } from "vitest";
import { played } from "../../../../../test/support/played.ts";
import { groundedness, memoProxies, planDegradation } from "./groundedness.ts";

describe("plan degradation", () => {
  test("the worked example of the specification", () => {
    // exec [0.4, 0.5, 0.2], plan [0, 0.3, 0.9], oss [0, 0.2, 0.8]
    const found = planDegradation([
      { exec: 0.4, plan: 0, oss: 0 },
      { exec: 0.5, plan: 0.3, oss: 0.2 },
      { exec: 0.2, plan: 0.9, oss: 0.8 },
    ]);
    expect(found.map(({ weighted }) => Number(weighted.toFixed(6)))).toEqual([0, -0.5, -4.045425]);
    expect(found.map(({ level }) => level)).toEqual(["none", "none", "soft"]);
  });

  test("equal proxies never trigger; a second trigger in a row is strong; no warm-up counts at once", () => {
    const flat = Array.from({ length: 4 }, () => ({ exec: 0.5, plan: 0.5, oss: 0.5 }));
    expect(planDegradation(flat).every(({ level }) => level === "none")).toBe(true);
    const falling = [0.9, 0.5, 0.1, 0].map((exec, at) => ({ exec, plan: at / 4, oss: at / 4 }));
    expect(planDegradation(falling).map(({ level }) => level)).toEqual(["none", "soft", "strong", "strong"]);
    expect(planDegradation([{ exec: 0.4, plan: 0.1, oss: 0 }], { warmUp: 0 })[0]?.weighted).toBeCloseTo(0.3);
  });

  test("proxies of memos", () => {
    const memo = {
      facts: "key opens door",
      strategy: "try the key",
      commands: ["use key on door"],
      failedTests: ["a"],
    };
    // exec: key and door of three words; the rest needs a memo before.
    expect(memoProxies(memo, undefined)).toEqual({ exec: 2 / 3, plan: 0, oss: 0 });
    // plan: "try the key" against "try the window": 2 of 4; oss: 0.5 * 1 + 0.5 * 1/2.
    const before = { ...memo, strategy: "try the window", failedTests: ["a", "b"] };
    expect(memoProxies(memo, before)).toEqual({ exec: 2 / 3, plan: 0.5, oss: 0.75 });
    expect(memoProxies({ ...memo, facts: "" }, undefined).exec).toBe(0);
  });
});

describe("groundedness of a skill", () => {
  const did = played("a", true, [
    ["s0", "take cup"],
    ["s1", "wash cup"],
  ]);
  test("what was carried out counts for it, what was only said against it", () => {
    expect(groundedness("This worked: take the {1}; wash the {1}.", [], [did])).toBe(1);
    const talker = {
      ...did,
      steps: did.steps.map((step) => ({ ...step, reply: { role: "assistant" as const, content: "I will polish it" } })),
    };
    // "polish" was said and never done, "wash" done: 1/2 - 1/2.
    expect(groundedness("wash, polish", [], [talker])).toBe(0);
    // "paint" was neither said nor done: 1/2.
    expect(groundedness("wash, paint", [], [did])).toBe(0.5);
    expect(groundedness("{1}", [], [did])).toBe(0);
  });
});
