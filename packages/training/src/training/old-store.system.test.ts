/** A store, a run and a checkpoint of an earlier release are read, and the training that was stopped goes on. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OLD_STORE, oldPlan } from "../../../../test/support/old-store.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { openStore } from "limbeck-store/store/open-store";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

test("the old store is read, and its unfinished training is taken up where it was", async () => {
  const root = join(await newFolder(), "runs");
  await cp(join(OLD_STORE, "runs"), root, { recursive: true });
  const store = openStore(root);
  const perRun = `select run, count(*), count(distinct id), sum(step_count) from trajectories group by run order by run`;
  // One episode of a report before, two of each update; one of the report after, where the training was finished.
  const { rows } = await store.query(perRun);
  expect(rows).toEqual([
    ["finished", 6, 6, 12],
    ["unfinished", 5, 5, 10],
  ]);
  const whole: string[] = [];
  for await (const { id, streams } of store.trajectories({ run: "finished" })) {
    expect(streams[0]?.logprobs?.length).toBeGreaterThan(0);
    whole.push(id);
  }
  expect(whole).toHaveLength(6);

  const from: number[] = [];
  const end = await train(
    oldPlan(root, "unfinished", 4, {
      onEvent: (event) => void (event.kind === "start" && from.push(event.from)),
    }),
  );
  expect([from, end.reason, end.update]).toEqual([[2], "finished", 4]);
  const after = await store.query(perRun, { run: "unfinished" });
  expect(after.rows).toEqual([["unfinished", 10, 10, 20]]);
  const steps = await store.query(
    "select step, count(*) from metrics where name = 'loss' group by step order by step",
    {
      run: "unfinished",
    },
  );
  expect(steps.rows).toEqual([1, 2, 3, 4].map((step) => [step, 1]));
  await store.compact();
  expect((await store.query(perRun)).rows).toEqual([
    ["finished", 6, 6, 12],
    ["unfinished", 10, 10, 20],
  ]);
  await store.close();
});
