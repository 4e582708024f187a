/** 60 coding requests, written down with what a person expects of them before extraction was mended; 40 were not looked at. */
import { beforeAll, expect, test } from "vitest";
import { agrees, compareFile, totals, type Compared } from "./support/request-cases.ts";

let all: readonly Compared[] = [];
beforeAll(async () => {
  const open = await compareFile("open");
  const sealed = await compareFile("sealed");
  process.stdout.write(`${totals("open", open)}\n${totals("sealed", sealed)}\n`);
  all = [...open, ...sealed];
}, 240_000);

const right = (check: keyof Compared["wrong"]): number => all.filter(({ wrong }) => wrong[check] === undefined).length;

test("at least 50 of 60 agree in kind and slots and hold nothing of a single session", () => {
  expect(all.filter(agrees).length).toBeGreaterThanOrEqual(50);
});

test("at least 50 of 60 name the tools of the way in order, with the places where they belong", () => {
  expect(right("steps")).toBeGreaterThanOrEqual(50);
});

test("all 60 count what succeeded and failed, and cite only runs that did what the skill says", () => {
  expect([right("counts"), right("cites")]).toEqual([60, 60]);
});
