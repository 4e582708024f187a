import { expect, test } from "vitest";
import { lookUp, nearestName, unknownName } from "./registry.ts";

const table = { "dr-grpo": 1, grpo: 2, rloo: 3 };

test("finds the entry, and names the nearest and all known ones when it is not there", () => {
  expect(lookUp(table, "grpo", "credit method")).toBe(2);
  expect(() => lookUp(table, "grop", "credit method")).toThrow(
    'No credit method "grop". Did you mean "grpo"? Known: dr-grpo, grpo, rloo.',
  );
  expect(() => lookUp(table, "quaternion", "credit method")).toThrow(
    'No credit method "quaternion". Known: dr-grpo, grpo, rloo.',
  );
});

test("inherited names are not entries", () => {
  expect(() => lookUp(table, "toString", "entry")).toThrow(/No entry "toString"/);
  expect(() => lookUp({}, "__proto__", "entry")).toThrow(/Known: none/);
});

test("a slip is one insertion, deletion, replacement or swap in three letters; a long beginning counts too", () => {
  expect(nearestName("imprt", ["import", "export"])).toBe("import");
  expect(nearestName("sqll", ["sql", "skills"])).toBe("sql");
  expect(nearestName("SHOW", ["show"])).toBe("show");
  expect(nearestName("comp", ["compact", "catalog"])).toBe("compact");
  expect(nearestName("xyz", ["show", "sql"])).toBeUndefined();
});

test("of many names the ten nearest are in the message, with where the others are; all are in the details", () => {
  const many = Array.from({ length: 26 }, (_, at) => `step-${String.fromCodePoint(97 + at)}`);
  const error = unknownName("step-zz", [...many, "stop"], "recipe");
  expect(error.message).toBe(
    'No recipe "step-zz". Did you mean "step-z"? Known: step-z, step-a, step-b, step-c, step-d, step-e, step-f, step-g, step-h, step-i, and 17 more: docs/lookup/generated/recipes.md.',
  );
  expect(error.details["known"]).toEqual([...many, "stop"]);
  expect(unknownName("far away", many, "thing").message).toMatch(
    /^No thing "far away"\. Known: (?:step-., ){10}and 16 more\.$/,
  );
  expect(unknownName("x", many.slice(0, 11), "thing", "ls").message).toMatch(/and 1 more: ls\.$/);
});

test("what others call a setting leads to its name here, as far as that is known", () => {
  const settings = ["learningRate", "tasks", "group", "clipNorm", "beta1", "klWeight", "answerTokens"];
  const meant = {
    lr: "learningRate",
    LR: "learningRate",
    learning_rate: "learningRate",
    batch_size: "tasks",
    bs: "tasks",
  };
  const more = {
    max_grad_norm: "clipNorm",
    "kl-coef": "klWeight",
    beta: "klWeight",
    max_new_tokens: "answerTokens",
    n: "group",
  };
  for (const [word, name] of Object.entries({ ...meant, ...more }))
    expect([word, nearestName(word, settings)]).toEqual([word, name]);
  expect(nearestName("--lr", ["--steps", "--learning-rate"])).toBe("--learning-rate");
  expect(nearestName("--tasks", ["--ask", "--count"])).toBe("--count");
  expect(nearestName("lr", ["lora"])).toBeUndefined();
  expect(nearestName("beta", ["beta1"])).toBe("beta1");
});
