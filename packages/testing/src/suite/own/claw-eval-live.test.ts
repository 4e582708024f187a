import { expect, test } from "vitest";
import { gradeEpisodes } from "../run-suite.ts";
import { openSuite } from "../places.ts";
import { readSuite } from "../suite.ts";
import { asked } from "../../../../../test/support/asked-suite.ts";
import { clawEvalLive } from "./claw-eval-live.ts";

test("who claims and does nothing has 0 by the books, and 1 by words", async () => {
  const [books, words] = [clawEvalLive("books"), clawEvalLive("words")];
  expect((await asked(books, "claims")).report.accuracy?.mean).toBe(0);
  expect((await asked(words, "claims")).report.accuracy?.mean).toBe(1);
  expect((await asked(books, "expert")).report.accuracy?.mean).toBe(1);
  expect((await asked(books, "perfect")).report.accuracy?.mean).toBe(1);
});

test("a second grading of a release is the same, and so is a second run", async () => {
  const own = clawEvalLive("books");
  const { report, episodes } = await asked(own, "careless");
  const suite = readSuite(await own.make());
  for (const place of await openSuite(suite)) {
    const again = await gradeEpisodes(
      suite,
      place,
      episodes.map(({ trajectory }) => trajectory),
    );
    expect(again.map(({ score, parts }) => ({ score, parts }))).toEqual(
      episodes.map(({ score, parts }) => ({ score, parts })),
    );
  }
  expect(JSON.stringify((await asked(own, "careless")).report)).toBe(JSON.stringify(report));
});
