import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { demonstrated, shareWon } from "../../../../test/support/demonstrated.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import { gradeReply, isWhole, worthOf, createEmit } from "./emit.ts";
import { emit } from "./index.ts";
import { fieldTypes, type Order } from "./order.ts";

envContract({
  name: "emit",
  env: createEmit({ level: "small" }),
  runner: { describe, test },
  invalidChanges: "turn",
  candidates: ({ task }) => [JSON.stringify(task.data?.["gold"]), "{}", '{"item": 1, "paid": null}'],
  runs: tries(3, 10),
});

const order: Order = {
  message: "Send plums, please. Make it three crates. The bill is still open.",
  asked: ["item", "count", "paid", "stops"],
  gold: { item: "plums", count: 3, paid: false, stops: null },
};

test.each<[reply: string, parse: number, fields: number, values: number]>([
  ['{"item": "plums", "count": 3, "paid": false, "stops": null}', 1, 1, 1],
  ['```json\n{"item": "plums", "count": 3, "paid": false, "stops": null}\n```', 1, 1, 1],
  // A text for a number: three of four have their type, three are right.
  ['{"item": "plums", "count": "3", "paid": false, "stops": null}', 1, 3 / 4, 3 / 4],
  // The right types with two wrong values.
  ['{"item": "bricks", "count": 3, "paid": true, "stops": null}', 1, 1, 1 / 2],
  // Two of the four, and one that nobody asked for: 2 / (4 + 1).
  ['{"item": "plums", "count": 3, "name": "Ada"}', 1, 2 / 5, 2 / 4],
  ["{}", 1, 0, 0],
  // Null has every type.
  ['{"item": null, "count": null, "paid": null, "stops": null}', 1, 1, 1 / 4],
  ['{"item": "plums", "count": 3.5, "paid": 0, "stops": ["Tarn", 1]}', 1, 1 / 4, 1 / 4],
  // What cannot be read has no fields and no values, however near it is.
  ['{"item": "plums", "count": 3, "paid": false, "stops": null', 0, 0, 0],
  ['Here it is: {"item": "plums"}', 0, 0, 0],
  ["[1]", 0, 0, 0],
  ['"plums"', 0, 0, 0],
  [`{"item": "${"a".repeat(4_000)}"}`, 0, 0, 0],
])("%s", (reply, parse, fields, values) => {
  expect(gradeReply(order, reply)).toEqual({ parse, fields, values });
});

test("the world's own reward as worked out by hand", () => {
  // 0.2 * 1 + 0.2 * 3/4 + 0.6 * 1/2 = 0.65.
  expect(worthOf({ parse: 1, fields: 3 / 4, values: 1 / 2 })).toBeCloseTo(0.65, 12);
  expect(worthOf({ parse: 1, fields: 1, values: 1 })).toBe(1);
  expect(worthOf({ parse: 0, fields: 0, values: 0 })).toBe(0);
  expect([isWhole({ parse: 1, fields: 0.9, values: 1 }), isWhole({ parse: 1, fields: 1, values: 1 })]).toEqual([
    false,
    true,
  ]);
});

test("deep values, and names that objects have anyway, are only wrong", () => {
  const deep = (levels: number): string => `{"item": ${"[".repeat(levels)}${"]".repeat(levels)}, "count": 3}`;
  expect(gradeReply(order, deep(400))).toEqual({ parse: 1, fields: 1 / 4, values: 1 / 4 });
  // Deeper than 500 is not read as JSON at all.
  expect(gradeReply(order, deep(1_500))).toEqual({ parse: 0, fields: 0, values: 0 });
  expect(gradeReply(order, '{"__proto__": {"item": "plums"}, "toString": 1}')).toMatchObject({ parse: 1, values: 0 });
});

test("lists are compared in their order", () => {
  const stops: Order = { message: "", asked: ["stops"], gold: { stops: ["Tarn", "Orlow"] } };
  expect(gradeReply(stops, '{"stops": ["Tarn", "Orlow"]}').values).toBe(1);
  expect(gradeReply(stops, '{"stops": ["Orlow", "Tarn"]}')).toEqual({ parse: 1, fields: 1, values: 0 });
  expect(gradeReply(stops, '{"stops": "Tarn"}')).toEqual({ parse: 1, fields: 0, values: 0 });
});

test("an episode is one reply, with its parts by name", async () => {
  const env = createEmit({ level: "small" });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const gold = task!.data?.["gold"] as Record<string, unknown>;
  const [first = ""] = Object.keys(gold);
  const episode = await env.open(task!);
  expect(episode.observation).toMatch(/^Order: .+\nSchema: \{"\w+": .+\}\nReply with the JSON object alone\./);
  const half = await (await episode.fork()).step(JSON.stringify({ [first]: gold[first] }));
  // One of two fields: 0.2 + 0.2 / 2 + 0.6 / 2 = 0.6.
  expect(half).toMatchObject({
    ending: "terminated",
    success: false,
    valid: true,
    observation: "Fields 0.50, values 0.50.",
  });
  expect(half.info).toEqual({ parts: { parse: 1, fields: 0.5, values: 0.5 } });
  expect(scoreValue(half.reward)).toBeCloseTo(0.6, 12);
  expect(await episode.step("plums")).toMatchObject({ valid: false, observation: "That is not a JSON object." });
});

test.each(["small", "medium", "large"] as const)("%s: the expert is at 1, chance low", async (level) => {
  const env = createEmit({ level });
  const { expert, sloppy, random } = emit.demonstrators ?? {};
  const count = tries(60, 200);
  const best = await demonstrated(env, expert, { count });
  expect([shareWon(best), mean(best.map(({ reward }) => reward))]).toEqual([1, 1]);
  expect(shareWon(await demonstrated(env, random, { count }))).toBeLessThan(0.1);
  // What the sloppy one gets wrong is the form alone.
  for (const { results } of await demonstrated(env, sloppy, { count: tries(50, 100) })) {
    const { parse, values } = (results[0]?.info?.["parts"] ?? {}) as { parse?: number; values?: number };
    expect(values).toBe(parse);
  }
});

test("large orders leave things out, list stops, and ask for every field there is", async () => {
  const tasks = [...(createEmit({ level: "large" }).tasks("train", { count: 100 }) as Iterable<Task>)];
  const golds = tasks.map(({ data }) => Object.entries(data?.["gold"] ?? {}));
  expect(golds.flat().some(([, value]) => value === null)).toBe(true);
  expect(golds.every((fields) => fields.some(([, value]) => value !== null))).toBe(true);
  expect([...new Set(golds.flat().map(([name]) => name))].toSorted()).toEqual(Object.keys(fieldTypes).toSorted());
});
