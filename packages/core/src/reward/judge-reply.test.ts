import { expect, test } from "vitest";
import { readReply } from "./judge-reply.ts";

const scale = { least: 0, most: 10 };
const read = (reply: unknown, names: readonly string[] = ["success"]) => {
  const found = readReply(reply, names, scale);
  return typeof found === "string" ? found : Object.fromEntries(found);
};

test.each([
  ['{"success": 7}', 0.7],
  ['Here it is:\n```json\n{"Success": "7/10"}\n```\nThanks!', 0.7],
  ['{"success": {"score": 5, "why": "half"}}', 0.5],
  ['{"success": true}', 1],
  ["Success: 3", 0.3],
  ["**Score:** 4/10. A fine attempt.", 0.4],
  ["I first thought success: 2, but success = 8", 0.8],
  ["7", 0.7],
  ["7/10.", 0.7],
  ['{"success": 1} no wait {"success": 9}', 0.9],
])("%s", (reply, value) => expect(read(reply)).toEqual({ success: value }));

test.each([
  ["", 'the answer has no number for "success"'],
  ["I will not judge this.", 'the answer has no number for "success"'],
  ['{"success": 11}', 'the answer says 11 for "success", outside 0 to 10'],
  ['{"success": "4/5"}', 'the answer has no number for "success"'],
  ['{"success": null}', 'the answer has no number for "success"'],
  ["There were 3 steps and 4 tools.", 'the answer has no number for "success"'],
  [undefined, "the judge did not answer with text"],
])("refused: %s", (reply, why) => expect(read(reply)).toBe(why));

test("several criteria need several numbers", () => {
  expect(read('{"style": 5, "success": 10}', ["success", "style"])).toEqual({ success: 1, style: 0.5 });
  expect(read('{"style": 5}', ["success", "style"])).toBe('the answer has no number for "success"');
  expect(read("success: 2\nstyle: 4", ["success", "style"])).toEqual({ success: 0.2, style: 0.4 });
});

test("a long answer of brackets is read in no time", () => {
  expect(read("{".repeat(100_000))).toBe('the answer has no number for "success"');
  expect(read("success".repeat(20_000))).toBe('the answer has no number for "success"');
});
