/** The coding requests that skills-from-requests.system.test.ts learns skills from, as they are written down. */
import { expect, test } from "vitest";
import { goalsOf, readCases } from "./support/request-cases.ts";

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
