import { expect, test } from "vitest";
import { createRng } from "../../base/index.ts";
import type { Env } from "../env.ts";
import { hint, type Demonstrator, type Seen } from "../expert.ts";
import { DEMONSTRATORS } from "./expert.ts";
import { scenarioOf } from "./scenario.ts";
import { createTools } from "./tools-env.ts";

async function outcomes(env: Env, split: string, count: number, demonstrator: Demonstrator) {
  const failed: string[] = [];
  const families = new Map<string, { won: number; all: number }>();
  let violations = 0;
  for await (const task of env.tasks(split, { count })) {
    const episode = await env.open(task);
    const demonstration = demonstrator.start(task, createRng(0));
    let action: string | undefined;
    let info: unknown;
    while (episode.ending === undefined) {
      action = demonstration.next({ action, observation: episode.observation });
      ({ info } = await episode.step(action));
    }
    const entry = families.get(scenarioOf(task).family) ?? { won: 0, all: 0 };
    families.set(scenarioOf(task).family, { won: entry.won + (episode.success === true ? 1 : 0), all: entry.all + 1 });
    if (episode.success !== true || episode.ending !== "terminated") failed.push(task.id);
    violations += (info as { allViolations: unknown[] }).allViolations.length;
  }
  return { failed, families, violations };
}

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
