import { join } from "node:path";
import { expect, test } from "vitest";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { openStore } from "limbeck-store/store/open-store";
import { train } from "./train.ts";
import type { TrainEvent } from "./events.ts";

const newFolder = temporaryFolders();

test("held-out tasks are looked at once in between; the training goes on as if they were not", async () => {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model, 1, 512);
  const run = async (name: string, midway: number | undefined): Promise<readonly [string[], string | undefined]> => {
    const told: string[] = [];
    const onEvent = ({ kind, ...event }: TrainEvent): void =>
      void told.push(`${kind} ${"update" in event ? event.update : ""}`);
    const common = { env: createCorridor(), envName: "corridor", model, dir: join(root, "runs", name) };
    const report = { tasks: 3, ...(midway === undefined ? {} : { midway }) };
    const plan = smallPlan({
      recipe: "grpo",
      ...common,
      steps: 2,
      given: { tasks: 1, group: 2, answerTokens: 2, maxSteps: 2 },
    });
    const { digest } = await train({ ...plan, keep: true, resume: false, report, onEvent });
    return [told.filter((line) => !line.startsWith("notice")), digest];
  };
  const [looked, digest] = await run("looked", 1);
  expect(looked).toEqual(["start ", "before 0", "update 1", "midway 1", "update 2", "after 2", "end 2"]);
  const [plain, same] = await run("plain", undefined);
  expect(plain).toEqual(looked.filter((line) => line !== "midway 1"));
  expect(digest).toBe(same);
  // After the last update it would be the same twice.
  expect((await run("last", 2))[0]).toEqual(plain);
  const store = openStore(join(root, "runs"));
  const { rows } = await store.query(
    "select json_extract_string(info, '$.phase') as phase, count(*) from trajectories group by phase order by phase",
    { run: "looked" },
  );
  // Of the look only its figure is kept: two updates of two episodes, and three held-out tasks before and after.
  expect(rows).toEqual([
    ["after", 3],
    ["before", 3],
    ["train", 4],
  ]);
  await store.close();
});
