import { join } from "node:path";
import { expect, test } from "vitest";
import { poolRuns } from "../../../../test/support/pool-runs.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";

const { folderOf, trained, storedTasks, eventsOf } = poolRuns();

async function weightsOf(run: string): Promise<number[]> {
  const opened = await openModel(join(folderOf(run), "model"), { threads: 1 });
  try {
    return [...opened.weights.flat];
  } finally {
    await opened.close();
  }
}

test("a resumed run goes on in the order and ends as one that was never stopped", async () => {
  const given = { "tasks.pool": 5 };
  await trained("whole", given, { steps: 4, strategy: "archive" });
  await trained("parts", given, { steps: 2, strategy: "archive" });
  await trained("parts", given, { steps: 4, strategy: "archive" });
  expect(await storedTasks("parts")).toEqual(await storedTasks("whole"));
  expect(await weightsOf("parts")).toEqual(await weightsOf("whole"));
  expect(await eventsOf("parts", "pool")).toHaveLength(1);
});
