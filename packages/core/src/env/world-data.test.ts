import { expect, test } from "vitest";
import { z } from "zod";
import { worldFile, worldTable, words } from "./world-data.ts";

test("a list is one line of text", () => {
  expect(words.parse("oak, pine, dark walnut")).toEqual(["oak", "pine", "dark walnut"]);
  expect(words.parse("")).toEqual([]);
  for (const wrong of ["oak,pine, ", "oak,  pine", "oak, , pine"]) expect(words.safeParse(wrong).success).toBe(false);
});

test("a file is read when it is first asked for, and once", () => {
  let reads = 0;
  const domain = worldFile("household.pddl", (text) => {
    reads += 1;
    return text.split("\n")[0];
  });
  expect(reads).toBe(0);
  expect([domain(), domain()]).toEqual(["(define (domain household)", "(define (domain household)"]);
  expect(reads).toBe(1);
});

test("a file that is missing or says something else is named, with the reason and the way out", () => {
  expect(worldTable("nowhere.json", z.object({}))).toThrow(
    /data\/worlds\/nowhere\.json cannot be used: ENOENT.*Install limbeck again\./,
  );
  expect(worldTable("tools.json", z.object({ country: z.number() }))).toThrow(
    /data\/worlds\/tools\.json cannot be used: .*expected number[^]*at country/,
  );
});
