import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLetter } from "../../../../../test/support/any-letter.ts";
import { parseAnalysis } from "./parse-analysis.ts";

const CANDIDATES = [0, 1, 2, 3];
const parse = (answer: string) => parseAnalysis(answer, CANDIDATES, 2);
const fence = (text: string, name = "json") => `\`\`\`${name}\n${text}\n\`\`\``;

interface Expected {
  readonly summary?: string;
  readonly skill: string;
  readonly steps?: readonly (readonly [number, string])[];
}

test.each<[string, string, Expected]>([
  // The published table.
  [
    "trailing commas in a fence",
    fence('{"episode_summary":"s","episode_skill":"e","step_skills":{"1":"a",},}'),
    { summary: "s", skill: "e", steps: [[1, "a"]] },
  ],
  ["a Python literal", "{'episode_skill': 'e', 'step_skills': {}}", { skill: "e" }],
  ["the object with the key, not the first", 'note {"x":1} then {"episode_skill":"e"}', { skill: "e" }],
  [
    "order written, candidates only, first K",
    '{"episode_skill":"e","step_skills":{"3":"c","x":"?","9":"z","0":"a","2":"b"}}',
    {
      skill: "e",
      steps: [
        [3, "c"],
        [0, "a"],
      ],
    },
  ],
  // What else models do.
  ["prose around", 'Sure! Here it is:\n{"episode_skill":"e"}\nHope it helps {smile}.', { skill: "e" }],
  ["a fence without a name, on one line", '```{"episode_skill":"e"}```', { skill: "e" }],
  ["fences win over prose", `{"episode_skill":"draft"} ${fence('{"episode_skill":"final"}')}`, { skill: "final" }],
  ["the first fence that has it", `${fence('{"a":1}')}\n${fence('{"episode_skill":"e"}')}`, { skill: "e" }],
  ["an unclosed fence", '```json\n{"episode_skill":"e"}', { skill: "e" }],
  [
    "the object inside another",
    '{"result":{"episode_skill":"e","step_skills":{"2":"b"}}}',
    { skill: "e", steps: [[2, "b"]] },
  ],
  ["control characters in a text", '{"episode_skill":"one\ntwo\tthree"}', { skill: "one\ntwo\tthree" }],
  ["braces and quotes in a text", '{"episode_skill":"press { or \\" now"}', { skill: 'press { or " now' }],
  ["an escape of a character", '{"episode_skill":"caf\\u00e9 \\/ bar"}', { skill: "café / bar" }],
  [
    "a Python literal with words, numbers as keys and a trailing comma",
    "Answer: {'episode_skill': 'don\\'t', 'ok': True, 'no': None, 'n': (1, 2.5,), 'step_skills': {2: 'b', 1: \"it's\",},}",
    {
      skill: "don't",
      steps: [
        [2, "b"],
        [1, "it's"],
      ],
    },
  ],
  [
    "a trailing comma after an object that was cut short",
    '{"episode_skill":"e", "step_skills": {"1": "a"},\n}',
    { skill: "e", steps: [[1, "a"]] },
  ],
  ["step skills that are no object", '{"episode_skill":"e","step_skills":["a","b"]}', { skill: "e" }],
  ["step skills that are null", '{"episode_skill":"e","step_skills":null}', { skill: "e" }],
  [
    "values of other types",
    '{"episode_skill":7,"episode_summary":["a","b"],"step_skills":{"1":2,"2":true}}',
    {
      summary: "a b",
      skill: "7",
      steps: [
        [1, "2"],
        [2, "true"],
      ],
    },
  ],
  [
    "a blank step skill holds its place",
    '{"episode_skill":"e","step_skills":{"1":" ","2":"b","3":"c"}}',
    {
      skill: "e",
      steps: [
        [1, ""],
        [2, "b"],
      ],
    },
  ],
  [
    "keys with space and sign",
    '{"episode_skill":"e","step_skills":{" 1 ":"a","+2":"b","-1":"z","1.5":"y"}}',
    {
      skill: "e",
      steps: [
        [1, "a"],
        [2, "b"],
      ],
    },
  ],
  [
    "a step named twice keeps its place and its last text",
    '{"episode_skill":"e","step_skills":{"1":"a","2":"b","01":"c"}}',
    {
      skill: "e",
      steps: [
        [1, "c"],
        [2, "b"],
      ],
    },
  ],
  ["no field but the skill", '{"episode_skill":" e "}', { skill: "e" }],
])("%s", (_, answer, { summary = "", skill, steps = [] }) => {
  const parsed = parse(answer);
  if (!parsed.ok) throw parsed.error;
  expect(parsed).toMatchObject({ summary, episodeSkill: skill });
  expect([...parsed.stepSkills]).toEqual(steps);
});

test.each([
  ["no json here", "analysis-no-object"],
  ["", "analysis-no-object"],
  ["{ broken", "analysis-no-object"],
  ["{'a': }", "analysis-no-object"],
  ['{"episode_skill":"unclosed', "analysis-no-object"],
  ['{"episode_skill":"  ","step_skills":{"1":"a"}}', "analysis-no-skill"],
  ['{"step_skills":{"1":"a"}}', "analysis-no-skill"],
  ['{"episode_skill":null}', "analysis-no-skill"],
  ['{"episode_skill":{"a":1}}', "analysis-no-skill"],
  ["{}", "analysis-no-skill"],
])("%j fails with its own error", (answer, code) => {
  const parsed = parse(answer);
  expect(parsed.ok ? "ok" : parsed.error.code).toBe(code);
});

test("forty step skills: the first K in the order written", () => {
  const all = Array.from({ length: 40 }, (_, at) => 39 - at);
  const written = `{"episode_skill":"e","step_skills":{${all.map((step) => `"${step}":"s${step}"`).join(",")}}}`;
  const parsed = parseAnalysis(written, all, 5);
  expect(parsed.ok && [...parsed.stepSkills.keys()]).toEqual([39, 38, 37, 36, 35]);
  const none = parseAnalysis(written, all, 0);
  expect(none.ok && none.stepSkills.size).toBe(0);
});

test("hostile nesting and endless braces are survived", () => {
  expect(parse('{"a":'.repeat(20_000)).ok).toBe(false);
  expect(parse("{".repeat(50_000)).ok).toBe(false);
  expect(parse(`${"[".repeat(5000)}{"episode_skill":"e"}`).ok).toBe(true);
});

test("whatever comes, parsing answers, and what JSON wrote it reads back in order", () => {
  fc.assert(fc.property(fc.string(), (text) => typeof parse(text).ok === "boolean"));
  const pieces = fc.constantFrom("{", "}", '"', "'", ":", ",", "episode_skill", "\\", "[", "]", "```", "1", " ");
  fc.assert(fc.property(fc.array(pieces), (parts) => typeof parse(parts.join("")).ok === "boolean"));
  const skills = fc.uniqueArray(fc.tuple(fc.nat({ max: 30 }), fc.string({ unit: anyLetter })), {
    selector: ([step]) => step,
  });
  fc.assert(
    fc.property(skills, fc.string(), (steps, around) => {
      const body = steps.map(([step, text]) => `"${step}":${JSON.stringify(text)}`).join(",");
      const answer = `${around.replace(/[{}`'"]/g, "")}{"episode_skill":"e","step_skills":{${body}}}`;
      const parsed = parseAnalysis(
        answer,
        steps.map(([step]) => step),
        99,
      );
      return (
        parsed.ok &&
        JSON.stringify([...parsed.stepSkills]) === JSON.stringify(steps.map(([step, text]) => [step, text.trim()]))
      );
    }),
  );
});
