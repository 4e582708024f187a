import { expect, test } from "vitest";
import { obedient } from "../../../../test/support/obedient.ts";
import { eastward, threeRooms } from "../../../../test/support/provider-bench.ts";
import { corridorDialect, openUpdate, type TryParts } from "../../../../test/support/recipe-bench.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { playPlans, playTold } from "./play-told.ts";
import { solve } from "./solve.ts";

const bench = (parts: TryParts = {}) =>
  openUpdate("grpo", {
    update: 3,
    env: threeRooms(),
    demonstrator: eastward,
    teacherPolicy: () => obedient,
    ...parts,
  });

async function twoTasks(): Promise<readonly [Task, Task]> {
  const tasks: Task[] = [];
  for await (const task of threeRooms().tasks("train", { count: 2 })) tasks.push(task);
  return [tasks[0] as Task, tasks[1] as Task];
}

test("a hint is followed, and nothing of it is left: the plain opening, the same words, the policy's own log-probabilities", async () => {
  const { update, model, record } = await bench();
  const [one, two] = await twoTasks();
  const told = [one, two, one].map((task) => ({ task, hint: "This worked: go east.", group: `group of ${task.id}` }));
  const played = await playTold(update, told, { label: "hinted", by: "teacher", temperature: 1 });
  expect(played.map((episode) => episode?.task.id)).toEqual([one.id, two.id, one.id]);
  for (const episode of played) {
    expect(episode?.success).toBe(true);
    expect(episode?.group).toBe(`group of ${episode?.task.id}`);
    const [stream] = episode?.streams ?? [];
    const [first] = episode?.steps ?? [];
    const opening = corridorDialect.opening(first?.observation ?? "");
    expect(stream?.ids.subarray(0, first?.span?.start)).toEqual(opening);
    for (const { span, action } of episode?.steps ?? []) {
      expect(corridorDialect.answer(stream?.ids.subarray(span?.start, span?.end) ?? [])).toBe(action);
      expect(stream?.mask.subarray(span?.start, span?.end).every((one) => one === 1)).toBe(true);
    }
    const [scored] = await model.score([{ ids: stream?.ids as Int32Array, mask: stream?.mask as Uint8Array }]);
    expect(stream?.logprobs).toEqual(scored?.logprob);
  }
  // Two episodes of one task are two: names and draws are their own.
  expect(new Set(played.map((episode) => episode?.id)).size).toBe(3);
  expect(record.beside.map(({ info }) => info)).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ phase: "hinted", update: 3 })),
  );
  expect(update.ledger.cost.environmentSteps).toBe(
    played.reduce((sum, episode) => sum + (episode?.steps.length ?? 0), 0),
  );
  expect(update.ledger.cost.sampledTokens).toBeGreaterThan(0);
  await model.close();
});

test("given actions become an episode to imitate, in the policy's own tokens", async () => {
  const { update, model } = await bench();
  const [task] = await twoTasks();
  const solution = await solve(update, task);
  expect(solution?.plan).toEqual(["go east", "go east"]);
  const [episode] = await playPlans(update, [{ task, actions: solution?.plan ?? [] }]);
  expect(episode?.success).toBe(true);
  const [stream] = episode?.streams ?? [];
  for (const { span } of episode?.steps ?? []) {
    expect(stream?.ids.subarray(span?.start, span?.end)).toEqual(corridorDialect.reply("go east"));
    expect(stream?.mask.subarray(span?.start, span?.end).every((one) => one === 1)).toBe(true);
  }
  expect(stream?.mask.reduce((sum, one) => sum + one, 0)).toBe(2 * corridorDialect.reply("go east").length);
  expect(stream?.logprobs).toBeUndefined();
  // Once by the demonstrator, once in tokens; nobody sampled anything.
  expect(update.ledger.cost).toEqual({ environmentSteps: 4, sampledTokens: 0, modelTokens: 0 });
  await model.close();
});

test("without a demonstrator the way out is named", async () => {
  const [task] = await twoTasks();
  const { update, model } = await bench({ demonstrator: undefined });
  await expect(solve(update, task)).rejects.toThrow(/has no demonstrator/);
  await model.close();
});
