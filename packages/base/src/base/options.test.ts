import { expect, test } from "vitest";
import { optionsSchema } from "./option-schema.ts";
import type { DeepTable } from "./option-table.ts";
import { allowedValues, parseOption, resolveOptions } from "./options.ts";

const table = { source: { kind: "text", default: null, meaning: "where it is" } } as const;

test("a text is taken as it is, or left out", () => {
  expect(resolveOptions(table, {}, "it")).toEqual({ source: null });
  expect(resolveOptions(table, { source: "a folder" }, "it")).toEqual({ source: "a folder" });
  expect(parseOption(table, "source", "tinker http://x:1", "it")).toBe("tinker http://x:1");
  expect(parseOption(table, "source", "none", "it")).toBeNull();
  expect(allowedValues(table.source)).toBe("a text, or none");
});

test("a blank text and other values are refused", () => {
  for (const source of [" ", 1, true]) {
    expect(() => resolveOptions(table, { source }, "it")).toThrow(/Option source of it is .*it takes a text, or none/);
  }
});

const deep = {
  share: { kind: "number", default: 0.5, above: 0, most: 1, meaning: "a share" },
  bound: { kind: "limit", default: "upper", words: ["upper"], above: 1, meaning: "a bound" },
  mode: { kind: "choice", default: "greedy", choices: ["greedy", "optimal"], meaning: "how" },
  name: { kind: "text", default: "reward", meaning: "which" },
  tags: { kind: "list", of: { kind: "text", word: true }, default: ["think"], fewest: 1, meaning: "tags" },
  weights: { kind: "map", of: { kind: "number" }, default: {}, meaning: "weights by name" },
  reject: {
    kind: "table",
    default: null,
    fields: { by: { kind: "text", meaning: "by what" }, above: { kind: "number", default: 3, meaning: "from where" } },
    meaning: "what is left out",
  },
} as const satisfies DeepTable;

test("lists, maps and nested tables are checked to the leaf, and what is missing is filled in", () => {
  expect(resolveOptions(deep, {}, "it")).toEqual({
    share: 0.5,
    bound: "upper",
    mode: "greedy",
    name: "reward",
    tags: ["think"],
    weights: {},
    reject: null,
  });
  const given = { tags: ["a", "b"], weights: { x: 2 }, reject: { by: "token" }, bound: null };
  expect(resolveOptions(deep, given, "it")).toMatchObject({ ...given, reject: { by: "token", above: 3 } });
});

test.each([
  [{ share: 0 }, "Option share of it is 0; it takes a number above 0, at most 1. Its default is 0.5."],
  [{ share: Number.NaN }, "Option share of it is NaN"],
  [{ bound: "lower" }, 'Option bound of it is "lower"; it takes a number above 1, or upper, or none'],
  [{ mode: "gredy" }, 'it takes greedy or optimal. Did you mean "greedy"?'],
  [{ name: null }, "Option name of it is null; it takes a text. Its default is reward."],
  [{ tags: [] }, "Option tags of it is []; it takes a list, at least 1, each a word"],
  [{ tags: ["a", "a b"] }, 'Option tags.1 of it is "a b"; it takes a word.'],
  [{ weights: { x: "2" } }, 'Option weights.x of it is "2"; it takes a number.'],
  [{ weights: [1] }, "Option weights of it is [1]; it takes names, each with a number"],
  [{ reject: {} }, "Option reject.by of it is undefined; it takes a text."],
  [{ reject: { by: "token", abov: 1 } }, 'No option of it.reject "abov". Did you mean "above"?'],
  [{ shar: 1 }, 'No option of it "shar". Did you mean "share"?'],
])("%j is refused by name", (given, message) => {
  expect(() => resolveOptions(deep, given, "it")).toThrow(message);
});

test("values of a command line: lists by commas or as JSON, words beside numbers, tables as JSON", () => {
  expect(parseOption(deep, "tags", "a, b", "it")).toEqual(["a", "b"]);
  expect(parseOption(deep, "tags", '["a"]', "it")).toEqual(["a"]);
  expect(parseOption(deep, "bound", "upper", "it")).toBe("upper");
  expect(parseOption(deep, "bound", "none", "it")).toBeNull();
  expect(parseOption(deep, "weights", '{"x": 2}', "it")).toEqual({ x: 2 });
  expect(() => parseOption(deep, "weights", "{x", "it")).toThrow('Option weights of it is "{x"');
});

test("a table as JSON schema", () => {
  expect(optionsSchema(deep)).toMatchObject({
    type: "object",
    additionalProperties: false,
    properties: {
      share: { type: "number", exclusiveMinimum: 0, maximum: 1, default: 0.5, description: "a share" },
      bound: { anyOf: [{ anyOf: [{ type: "number", exclusiveMinimum: 1 }, { enum: ["upper"] }] }, { type: "null" }] },
      mode: { enum: ["greedy", "optimal"] },
      tags: { type: "array", minItems: 1, items: { type: "string", pattern: "^[A-Za-z][\\w-]*$" } },
      weights: { type: "object", additionalProperties: { type: "number" } },
      reject: { anyOf: [{ type: "object", required: ["by"] }, { type: "null" }], default: null },
    },
  });
});
