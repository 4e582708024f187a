import { expect, test } from "vitest";
import { outcomes } from "../../../../test/support/tools-outcomes.ts";
import { createRng } from "limbeck-base/base/rng";
import { hint, type Seen } from "limbeck-core/env/expert";
import { DEMONSTRATORS } from "./expert.ts";
import { createTools } from "./tools-env.ts";

test("the expert needs only the conversation, and solves the held-out splits too", async () => {
  const env = createTools({ opening: "dialogue" });
  for (const split of ["valid", "test"]) {
    expect((await outcomes(env, split, 90, DEMONSTRATORS.expert)).failed).toEqual([]);
  }
});

test("a hint helps on after another's mistakes", async () => {
  const env = createTools();
  for await (const task of env.tasks("train", { count: 18 })) {
    const episode = await env.open(task);
    const past: Seen[] = [{ action: undefined, observation: episode.observation }];
    const mistakes = ["{", '{"name": "get_order_details", "arguments": {"order_id": "#W0"}}', "One moment?"];
    while (episode.ending === undefined) {
      const action = mistakes.shift() ?? hint(DEMONSTRATORS.expert, task, past, createRng(0))!;
      await episode.step(action);
      past.push({ action, observation: episode.observation });
    }
    expect([task.id, episode.success]).toEqual([task.id, true]);
  }
});

test("a shop too small for a kind of task says so, and how to have more", async () => {
  const list = async () => {
    for await (const task of createTools({ users: 1 }).tasks("train", { count: 40 })) expect(task.id).toBeTruthy();
  };
  await expect(list()).rejects.toThrow(/None of the 1 customers .* give --env-set users more/u);
});
