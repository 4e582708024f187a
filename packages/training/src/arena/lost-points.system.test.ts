import { join } from "node:path";
import { expect, test } from "vitest";
import { rudeWorld, say, show } from "../../../../test/support/rude-world.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { isFinished, journalFile, readJournal, type JournalLine } from "./journal.ts";
import { readPlan } from "./plan.ts";
import { runArm } from "./run-arm.ts";

const newFolder = temporaryFolders();

test("a point of which nothing was seen is no 0: the run fails with the cause, and goes on when it is begun again", async () => {
  let full = true;
  const url = await rudeWorld({
    answer: (socket, { type }) => {
      if (type === "step") return show(socket, { text: "Thanks." }, 1, true);
      if (type !== "reset") return undefined;
      if (!full) return show(socket, { text: "Say it." }, 0, false);
      return say(socket, "error", { code: "CAPACITY_REACHED", message: "No place is left." });
    },
  });
  const dir = await newFolder();
  const model = join(dir, "start");
  await writeTinyModel(model, 1, 512);
  const plan = readPlan({
    version: 1,
    arms: [{ name: "one", recipe: "grpo", settings: { tasks: 1, group: 2, answerTokens: 2 } }],
    seeds: [1],
    env: "openenv",
    envOptions: { url, attempts: 1, successAt: 1, tasks: 4 },
    model,
    budget: { account: "updates", amount: 1 },
    evaluation: { every: 1, tasks: 2, finalTasks: 2 },
  });
  const request = { plan, arm: "one", seed: 1, dir, now: () => 0, signal: new AbortController().signal };
  const lines = (): Promise<JournalLine[]> => readJournal(journalFile(dir, "one", 1));
  await expect(runArm(request)).rejects.toMatchObject({
    code: "episodes-lost",
    details: { causes: { "server-full": 2 } },
  });
  expect((await lines()).map(({ kind }) => kind)).toEqual(["start", "failed"]);
  full = false;
  await runArm(request);
  expect(isFinished(await lines())).toBe(true);
  // Every answer is right.
  const points = (await lines()).flatMap((line) => (line.kind === "point" ? [[line.success, line.tasks]] : []));
  expect(points).toEqual([
    [1, 2],
    [1, 2],
  ]);
});
