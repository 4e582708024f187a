import { expect, test } from "vitest";
import { scriptedAsker, searchTable, type SearchTable } from "../../../../test/support/table-search.ts";

/** Most episodes end at the pond, few at the gold. */
const field: SearchTable = {
  moves: { field: { dig: "gold", walk: "pond" } },
  ends: { gold: 1, pond: 0 },
  maxSteps: 2,
  chances: { field: { dig: 0.3, walk: 0.7 } },
};

test("a judge that reads the summaries finds a minority that is right, without seeing any outcome", async () => {
  const questions: string[] = [];
  const asker = scriptedAsker([
    [
      /Which attempt/,
      (prompt) => {
        questions.push(prompt);
        const right = prompt.split(/\n(?=Attempt \d)/).find((part) => /at gold/.test(part));
        return `Number ${/Attempt (\d+)/.exec(right ?? "Attempt 1")?.[1]}.`;
      },
    ],
  ]);
  const result = await searchTable("rtv", field, { asker, seesOutcome: false, settings: { attempts: 8, votes: 1 } });
  expect(result.actions).toEqual(["dig"]);
  // Eight attempts in pairs: 4 + 2 + 1 comparisons, each of two summaries that tell no outcome.
  expect(questions).toHaveLength(7);
  expect(questions[0]).toMatch(
    /^Goal: get to the end\n\nAttempt 1\nActions: \w+\.\nSeen last: at \w+\nIt came to its end after 1 steps\.\n\nAttempt 2/,
  );
});

test("without a model the outcome decides where it may be seen, and the signs of a line where it may not", async () => {
  expect((await searchTable("rtv", field)).success).toBe(true);
  const blind = await searchTable("rtv", field, { seesOutcome: false });
  // All lines are one possible step to an end: the surest, walk, is what is left to go by.
  expect(blind.actions).toEqual(["walk"]);
});

test("who is left says through how many rounds it came", async () => {
  const { chosen } = await searchTable("rtv", field, { settings: { attempts: 8 } });
  expect(chosen?.info).toMatchObject({ roundsWon: 3 });
});
