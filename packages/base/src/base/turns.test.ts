import { expect, test } from "vitest";
import { turnDue } from "./turns.ts";

test("work that only waits for itself lets what is outside have its turn", async () => {
  const heard: true[] = [];
  setImmediate(() => heard.push(true));
  // Without a turn this never ends: a promise that is kept comes before everything outside.
  for (let tries = 0; tries < 1e9 && heard.length === 0; tries += 1) await turnDue();
  expect(heard).toEqual([true]);
  expect(turnDue()).toBeUndefined();
});
