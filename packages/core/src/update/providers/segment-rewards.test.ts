import { expect, test } from "vitest";
import { tryProvider, walkerDialect } from "../../../../../test/support/provider-bench.ts";
import { assignCredit } from "../../credit/assign.ts";
import { sdGrpo } from "../../credit/sd-grpo.ts";
import { openEnv } from "limbeck-worlds/index";
import { demonstrate } from "limbeck-worlds/research/demonstrators";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createStrategy } from "../../rollout/registry.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createTokenAgent } from "../../walk/mind/token-agent.ts";
import { rollOut } from "../../walk/line/roll-out.ts";

test("the verb is the first part, and earns whether the action was understood", async () => {
  const { batch, metrics } = await tryProvider("segment-rewards", {
    credit: "sd-grpo",
    given: { "segment-rewards.mark": "word" },
  });
  for (const { signals, valid, trajectory } of batch.rows) {
    // "go " is three bytes: the boundary is the third token.
    expect(signals?.split).toEqual({
      token: 2,
      before: valid ? 1 : 0,
      after: batch.trajectories.get(trajectory)?.outcome,
    });
  }
  expect(metrics["segment-rewards/parted"]).toBe(batch.rows.length);
});

test("an answer without the mark has no first part", async () => {
  const { batch } = await tryProvider("segment-rewards", { credit: "sd-grpo" });
  expect(batch.rows.every(({ signals }) => signals?.split?.token === null)).toBe(true);
});

test("in research the right passage and a wrong answer are told apart in every such row", async () => {
  const env = await openEnv("research", { hops: [1], topk: 2 });
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const [task] = tasks as [Task];
  const opened = await env.open(task);
  const search = demonstrate(task.goal).next({ action: undefined, observation: opened.observation });
  const { answers, support } = task.data as {
    readonly answers: readonly string[];
    readonly support: readonly string[];
  };
  const [right = ""] = answers;
  const halves = (one: string, other: string) => [
    { text: one, probability: 0.5 },
    { text: other, probability: 0.5 },
  ];
  const policy = createScriptedPolicy({
    script: ({ text }) =>
      text.includes("<information>")
        ? halves(`<answer>${right}</answer>`, "<answer>nobody</answer>")
        : halves(search, "<search>zzz</search>"),
  });
  const agent = createTokenAgent({ policy, dialect: walkerDialect, answerTokens: 200 });
  const strategy = createStrategy("group", { size: 24 });
  const { trajectories: episodes } = await rollOut({ env, agent, tasks, strategy, seed: 3 });
  const given = { "segment-rewards.mark": "search" };
  const { batch, metrics } = await tryProvider("segment-rewards", { credit: "sd-grpo", given, env, episodes });
  const { advantages } = assignCredit(sdGrpo, batch);
  // Nothing here ends a thought, so that all is judged by the outcome: the same searches are pushed down.
  const { batch: whole } = await tryProvider("segment-rewards", { credit: "sd-grpo", env, episodes });
  const { advantages: undivided } = assignCredit(sdGrpo, whole);
  const looked = new Set(
    episodes.flatMap(({ id, steps, success }) => {
      const passages = (steps[0]?.info?.["passages"] ?? []) as readonly string[];
      const found = passages.some((one) => support.includes(one));
      return found && success === false ? [id] : [];
    }),
  );
  expect(looked.size).toBeGreaterThan(3);
  expect(metrics["segment-rewards/found"]).toBeGreaterThan(looked.size);
  for (const [at, { trajectory, step, mask }] of batch.rows.entries()) {
    if (!looked.has(trajectory)) continue;
    const own = [...(advantages[at] ?? [])].filter((_, token) => mask[token] === 1);
    expect(own.length).toBeGreaterThan(0);
    expect(own.every((value) => (step === 0 ? value > 0 : value < 0))).toBe(true);
    expect([...(undivided[at] ?? [])].every((value, token) => mask[token] !== 1 || value < 0)).toBe(true);
  }
});
