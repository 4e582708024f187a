import { expect, test } from "vitest";
import { checkExpected, isRight } from "./expected.ts";
import { measureAgreement, readVerdicts } from "./judge-agreement.ts";

test("agreement and kappa, by hand", async () => {
  // Person and judge: 18 both right, 18 both wrong, 2 each alone, 3 that the judge cannot say.
  const given = ["yes".repeat(18), "no".repeat(18), "alone".repeat(2), "judge".repeat(2), "fails".repeat(3)]
    .join("")
    .match(/yes|no|alone|judge|fails/g);
  const verdicts = (given ?? []).map((one) => ({ prompt: "q", given: one, right: one === "yes" || one === "alone" }));
  const found = await measureAgreement(async (_row, answer) => {
    if (answer === "fails") throw new Error("503");
    return await Promise.resolve(answer === "yes" || answer === "judge");
  }, verdicts);
  // 36 of 40 alike; each says right in half of them, so that chance is 1/2 and kappa (0.9 - 0.5) / 0.5.
  expect(found).toMatchObject({ verdicts: 40, unscored: 3, share: 0.9 });
  expect(found.kappa).toBeCloseTo(0.8, 12);
  // Wilson, 36 of 40: (0.9 + 0.0480 ± 0.1049) / 1.0960.
  expect([found.low, found.high]).toEqual([expect.closeTo(0.7695, 3), expect.closeTo(0.9604, 3)]);
});

test("fewer than 30 verdicts of a person are none", () => {
  const line = JSON.stringify({ prompt: "q", given: "a", right: true });
  expect(readVerdicts(Array.from({ length: 30 }, () => line).join("\n"), "f")).toHaveLength(30);
  expect(() => readVerdicts(line, "f")).toThrow("f has 1 verdicts of a person; a judge counts from 30 on");
  expect(() => readVerdicts('{"prompt": "q"}', "f")).toThrow("Line 1 of f is no verdict");
});

test("what a line expects: words, a pattern, a schema; all that it says", () => {
  expect([isRight({ answer: "Paris" }, "PARIS, of course"), isRight({ answer: "Paris" }, "Parisian")]).toEqual([
    true,
    false,
  ]);
  expect([isRight({ pattern: "^\\d+$" }, "42"), isRight({ pattern: "^\\d+$", answer: "7" }, "42")]).toEqual([
    true,
    false,
  ]);
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const fenced = 'Here:\n```json\n{"n": 3}\n```';
  expect([isRight({ schema }, fenced), isRight({ schema }, '{"n": "3"}'), isRight({ schema }, "three")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(() => checkExpected({ pattern: "(" }, "Line 1 of f")).toThrow("Line 1 of f has a pattern");
});
