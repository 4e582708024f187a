import { expect, test } from "vitest";
import { numberedTasks } from "./task-file.ts";
import { splitTasks } from "./world-faults.ts";

const endless = {
  id: "endless",
  summary: "",
  maxSteps: 1,
  splits: { train: Infinity },
  tasks: (split: string, range?: { readonly offset?: number; readonly count?: number }) =>
    numberedTasks("endless", { train: Infinity }, split, range, (index) => ({
      id: String(index),
      env: "endless",
      seed: 0,
      goal: "",
      split,
    })),
  open: () => Promise.reject(new Error("not opened")),
};

test("no more tasks at once than are held in memory; the error says what may be asked for", async () => {
  await expect(splitTasks(endless, "train", { offset: 0, count: 1e9 })).rejects.toMatchObject({
    code: "bad-limit",
    message: expect.stringContaining("1000000000 tasks") as string,
  });
  expect(await splitTasks(endless, "train", { offset: 7, count: 3 })).toHaveLength(3);
});

test("a signal is heard while tasks are drawn", async () => {
  const stop = new AbortController();
  let drawn = 0;
  const slow = {
    ...endless,
    tasks: function* (split: string) {
      for (;;) {
        drawn += 1;
        yield { id: String(drawn), env: "endless", seed: 0, goal: "", split };
      }
    },
  };
  setImmediate(() => stop.abort("SIGTERM"));
  const range = { offset: 0, count: 250_000, signal: stop.signal };
  await expect(splitTasks(slow, "train", range)).rejects.toThrow(/cancelled/);
  expect(drawn).toBeLessThan(250_000);
});
