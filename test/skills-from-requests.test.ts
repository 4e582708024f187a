/** 60 coding requests, written down with what a person expects of them before extraction was mended; 40 were not looked at. */
import { beforeAll, expect, test } from "vitest";
import { agrees, compareFile, goalsOf, readCases, totals, type Compared } from "./support/request-cases.ts";

let all: readonly Compared[] = [];
beforeAll(async () => {
  const open = await compareFile("open");
  const sealed = await compareFile("sealed");
  process.stdout.write(`${totals("open", open)}\n${totals("sealed", sealed)}\n`);
  all = [...open, ...sealed];
}, 240_000);

const right = (check: keyof Compared["wrong"]): number => all.filter(({ wrong }) => wrong[check] === undefined).length;

test("the files hold 20 and 40 requests, each of a kind of its own", async () => {
  const [open, sealed] = [await readCases("open"), await readCases("sealed")];
  expect([open.length, sealed.length]).toEqual([20, 40]);
  const cases = [...open, ...sealed];
  expect(new Set(cases.map(({ id }) => id)).size).toBe(60);
  expect(new Set(cases.map(({ expect: { kind } }) => kind.toLowerCase())).size).toBe(60);
  for (const { sessions, expect: wanted, ...one } of cases) {
    const ends = sessions.map(([end]) => end);
    const good = ends.filter((end) => end === "+" || end === "~").length;
    expect([one.id, wanted.succeeded, wanted.failed]).toEqual([one.id, good, ends.length - good]);
    expect([one.id, wanted.cites]).toEqual([one.id, ends.flatMap((end, at) => (end === "+" ? [at] : []))]);
    expect([one.id, new Set(goalsOf({ sessions, expect: wanted, ...one })).size]).toEqual([
      one.id,
      new Set(sessions.map(([, ...values]) => values.join("\n"))).size,
    ]);
  }
});

test("at least 50 of 60 agree in kind and slots and hold nothing of a single session", () => {
  expect(all.filter(agrees).length).toBeGreaterThanOrEqual(50);
});

test("at least 50 of 60 name the tools of the way in order, with the places where they belong", () => {
  expect(right("steps")).toBeGreaterThanOrEqual(50);
});

test("all 60 count what succeeded and failed, and cite only runs that did what the skill says", () => {
  expect([right("counts"), right("cites")]).toEqual([60, 60]);
});
