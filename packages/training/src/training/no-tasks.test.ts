import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { join } from "node:path";
import { readdir } from "node:fs/promises";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Env } from "limbeck-core/env/env";
import { evaluate } from "../../../limbeck/src/run/evaluate.ts";
import { rollout } from "../../../limbeck/src/run/rollout.ts";
import { search } from "../../../limbeck/src/run/search.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

const worldWith = (splits: Record<string, number>): Env => {
  const corridor = createCorridor({ rooms: 2, maxSteps: 3 });
  return {
    ...corridor,
    splits,
    tasks: (split, { offset = 0, count = 1 } = {}) =>
      corridor.tasks("train", { offset, count: Math.min(count, (splits[split] ?? 0) - offset) }),
  };
};

const given = { recipe: "grpo", steps: 1, report: { tasks: 1 }, settings: { tasks: 1, group: 2 } } as const;

test.each([
  [
    { train: 0, valid: 4 },
    /The training has no tasks: the world "corridor" holds 0 tasks in its split "train"\. Its splits: train \(0\), valid \(4\)\. .*"train"/,
  ],
  [{ valid: 4, test: Infinity }, /has no split "train"\. Its splits: valid \(4\), test \(without end\)/],
  [{}, /has no split "train"\. Its splits: none/],
  [{ train: 3, valid: 0, test: 2 }, /The validation has no tasks: .* 0 tasks in its split "valid"/],
  [{ train: 3, valid: 2, test: 0 }, /The report has no tasks: .* 0 tasks in its split "test"/],
])("a training in a world of %j is refused before anything else", async (splits, message) => {
  const dir = join(await newFolder(), "run");
  await expect(train({ ...given, env: worldWith(splits), dir })).rejects.toMatchObject({
    code: "no-tasks",
    message: expect.stringMatching(message),
  });
  await expect(readdir(dir)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a validation that nobody asked for needs no tasks", async () => {
  const env = worldWith({ train: 0, valid: 0 });
  const more = { validation: { every: 0 }, report: { tasks: 0 } };
  await expect(train({ ...given, ...more, env, dir: join(await newFolder(), "run") })).rejects.toThrow(
    /The training has no tasks/,
  );
});

test.each([
  ["evaluate", (env: Env, split: string) => evaluate({ env, split, policy: "random", tasks: 2 })],
  ["rollout", (env: Env, split: string) => rollout({ env, split, policy: "random", tasks: 2 })],
  ["search", (env: Env, split: string) => search({ env, split, policy: "random", tasks: 2 })],
])("%s of an empty or unknown split is refused by name", async (_, run) => {
  const env = worldWith({ train: 3, valid: 0 });
  await expect(run(env, "valid")).rejects.toMatchObject({
    code: "no-tasks",
    message: expect.stringMatching(/0 tasks in its split "valid"\. Its splits: train \(3\), valid \(0\)/),
  });
  await expect(run(env, "nowhere")).rejects.toThrow(/split.* "nowhere"/);
});

test.each([
  [
    "gives nothing",
    () => undefined,
    /The world "corridor" cannot be used: in tasks\("train"\) it gave missing, not a list/,
  ],
  [
    "throws",
    () => {
      throw new TypeError("no file");
    },
    /The world "corridor" failed in tasks\("train"\): TypeError: no file/,
  ],
  ["gives what is no task", () => [{ id: 7 }], /in tasks\("train"\) "id" of a task is a number/],
])("a world whose tasks() %s is named", async (_, tasks, message) => {
  const env = { ...worldWith({ train: 3 }), tasks: tasks as never };
  await expect(rollout({ env, split: "train", policy: "random", tasks: 2 })).rejects.toThrow(message);
});
