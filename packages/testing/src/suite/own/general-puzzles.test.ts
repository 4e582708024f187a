/** Puzzles with variants: answers by hand, and what consistency shows that accuracy does not. */
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { Demonstrator } from "limbeck-core/env/expert";
import { openSuite } from "../places.ts";
import { runSuite } from "../run-suite.ts";
import { readSuite } from "../suite.ts";
import { generalPuzzles, makers } from "./general-puzzles.ts";

const suite = readSuite(generalPuzzles);
const byPrompt = new Map(suite.tasks.map((task) => [task.prompt ?? "", task]));

async function reportOf(answer: (prompt: string) => string) {
  const script: Demonstrator = { id: "s", summary: "A script.", start: ({ goal }) => ({ next: () => answer(goal) }) };
  const policy = () => Promise.resolve({ agent: createDemonstratorAgent(script), close: () => Promise.resolve() });
  return (await runSuite({ suite, places: await openSuite(suite), policy, name: "test" })).report;
}

const solved = (prompt: string): string => byPrompt.get(prompt)?.solution ?? "";

test("eight categories, four forms of each seed; one with other numbers has another answer, the others the seed's", () => {
  expect(suite.tasks).toHaveLength(8 * 3 * 4);
  expect(byPrompt.size).toBe(suite.tasks.length);
  for (let at = 0; at < suite.tasks.length; at += 4) {
    const [seed, words, numbers, aside] = suite.tasks.slice(at, at + 4).map(({ answer }) => answer);
    expect([words, aside]).toEqual([seed, seed]);
    expect(numbers).not.toBe(seed);
  }
});

test("who knows the seeds by heart has 3 of 4 right, and no puzzle in all its forms", async () => {
  const heart = new Map(suite.tasks.filter(({ id }) => id.endsWith("/seed")).map((task) => [task.variantOf, task]));
  const report = await reportOf((prompt) => heart.get(byPrompt.get(prompt)?.variantOf)?.solution ?? "");
  expect(report.accuracy?.mean).toBe(0.75);
  expect(report.buckets["seed"]?.accuracy?.mean).toBe(1);
  expect(report.buckets["other numbers"]?.accuracy?.mean).toBe(0);
  expect(report.variants).toMatchObject({ groups: 24, right: { mean: 0 }, alike: { mean: 0 } });
});

test("who can do four of eight categories is consistent, and the report says which; two runs agree to the bit", async () => {
  const able = ["branches", "words", "time", "space"];
  const answer = (prompt: string): string =>
    able.includes(byPrompt.get(prompt)?.buckets?.[0] ?? "") ? solved(prompt) : "";
  const report = await reportOf(answer);
  expect(report.accuracy?.mean).toBe(0.5);
  for (const category of Object.keys(makers))
    expect(report.buckets[category]).toMatchObject({ tasks: 12, accuracy: { mean: Number(able.includes(category)) } });
  expect(report.variants).toMatchObject({ right: { mean: 0.5 }, alike: { mean: 1 } });
  expect(JSON.stringify(await reportOf(answer))).toBe(JSON.stringify(report));
});

/** Each by another way than the generator's. */
const SOLVERS: Readonly<Record<string, (numbers: readonly number[], text: string) => number>> = {
  constraints: (_, text) => {
    const names = [...new Set(text.match(/Ada|Ben|Cleo|Dan|Eva|Finn|Gus|Hana/g))];
    const orders = names.reduce<string[][]>((all) => all.flatMap((one) => names.filter((name) => !one.includes(name)).map((name) => [...one, name])), [[]]); // prettier-ignore
    const [, first = ""] = /(\w+) is first/.exec(text) ?? [];
    const [, behind = "", before = ""] = /(\w+) is right behind (\w+)/.exec(text) ?? [];
    const [, last = ""] = /(\w+) is last/.exec(text) ?? [];
    const [, ahead = "", after = ""] = /(\w+) is ahead of (\w+)/.exec(text) ?? [];
    const fits = orders.filter((row) => row[0] === first && row.indexOf(behind) === row.indexOf(before) + 1 && row[4] === last && row.indexOf(ahead) < row.indexOf(after)); // prettier-ignore
    expect(fits).toHaveLength(1);
    const who = /(?:is|has) (\w+)\?/.exec(text)?.[1] ?? "";
    return (fits[0] ?? []).indexOf(who) + 1;
  },
  counting: ([, most = 0, by = 0]) => Array.from({ length: most }, (_, at) => at + 1).filter((one) => one % by === 0 && one % (by * 2) !== 0).length, // prettier-ignore
  optimum: ([small = 0, large = 0, money = 0]) => {
    let best = 0;
    for (let many = 1; many * large <= money; many += 1)
      for (let few = 0; many * large + few * small <= money; few += 1) best = Math.max(best, many + few);
    return best;
  },
  chance: ([red = 0, blue = 0]) => {
    // The longest draw of one colour alone, and one ball more.
    const draws = [red, blue].map((one) => one + 1);
    return Math.max(...draws);
  },
};

test.each(Object.keys(SOLVERS))("%s: the answer is what trying everything gives", (category) => {
  for (let at = 0; at < 40; at += 1) {
    const { texts, answer } = (makers[category] as (typeof makers)[string])(createRng(at));
    const numbers = (texts[0].match(/\d+/g) ?? []).map(Number);
    expect(SOLVERS[category]?.(numbers, texts[0])).toBe(answer);
  }
});
