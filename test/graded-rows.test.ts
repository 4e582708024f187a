/** Mechanisms of graded rewards, shown on episodes of the worlds they are for: no model is trained. */
import { describe, expect, test } from "vitest";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { assignCredit } from "../packages/core/src/credit/assign.ts";
import { batchFromTrajectories } from "../packages/core/src/credit/from-trajectories.ts";
import { getCredit } from "../packages/core/src/credit/registry.ts";
import type { CreditResult } from "../packages/core/src/credit/credit.ts";
import { getWorld, openEnv } from "../packages/worlds/src/index.ts";
import type { Demonstrator } from "../packages/core/src/env/expert.ts";
import type { Env } from "../packages/core/src/env/env.ts";
import { readRewardPlan } from "../packages/core/src/reward/plan-file.ts";
import { rewardTrajectories } from "../packages/core/src/reward/registry.ts";
import { createStrategy } from "../packages/core/src/rollout/registry.ts";
import { scoreValue } from "../packages/base/src/trajectory/score.ts";
import type { Task, Trajectory } from "../packages/base/src/trajectory/trajectory.ts";
import { createDemonstratorAgent } from "../packages/core/src/walk/mind/demonstrator-agent.ts";
import { rollOut } from "../packages/core/src/walk/line/roll-out.ts";

/** One group for each task, by one scripted agent after the other. */
async function played(env: Env, who: readonly Demonstrator[], count: number, size: number): Promise<Trajectory[]> {
  const tasks = [...(env.tasks("train", { count }) as Iterable<Task>)];
  const all: Trajectory[] = [];
  for (const [at, demonstrator] of who.entries()) {
    const agent = createDemonstratorAgent(demonstrator);
    const strategy = createStrategy("group", { size });
    const { trajectories } = await rollOut({ env, agent, tasks, strategy, seed: at });
    all.push(...trajectories.map((one) => ({ ...one, id: `${demonstrator.id} ${one.id}` })));
  }
  return all;
}

/** Says these, one after the other. */
const saying = (id: string, actions: readonly string[]): Demonstrator => ({
  id,
  summary: "Says what it was told.",
  start: () => {
    let at = 0;
    return { next: () => actions[at++] ?? "stop" };
  },
});

/** What each row is worth; scripted agents have no tokens. */
const perRow = ({ terms }: CreditResult): number[] => {
  const all = Object.values(terms);
  const [first] = all;
  return Array.from(first?.perRow ?? [], (_, at) =>
    all.reduce((sum, term) => sum + term.weight * (term.perRow?.[at] ?? 0), 0),
  );
};

const variance = (values: readonly number[]): number => mean(values.map((value) => (value - mean(values)) ** 2));

describe("MAPO", () => {
  test("with a user who has a mood, mixed advantages vary less than those of the batch alone, on the same rows", async () => {
    const env = await openEnv("talk", { who: "customer", level: "small" });
    const { demonstrators = {} } = await getWorld("talk");
    const who = ["expert", "blunt", "hasty", "random"].map((name) => demonstrators[name] as Demonstrator);
    const plan = readRewardPlan({
      rewards: [{ use: "world-part", as: "mood", options: { of: "mood" }, weight: 1, level: "turn" }],
    });
    const { trajectories } = await rewardTrajectories(await played(env, who, 12, 2), plan, {});
    const batch = batchFromTrajectories(trajectories);
    const [mixed, only] = [0.5, 0].map((mix) =>
      variance(perRow(assignCredit(getCredit("mapo"), batch, { mix, version: "mapo" }))),
    );
    expect(batch.rows.length).toBeGreaterThan(150);
    expect(mixed).toBeGreaterThan(0);
    expect(mixed).toBeLessThan(only as number);
  });
});

describe("Generation Navigator", () => {
  test("in draft: who stops at the peak is before who loses it, and that one before who never gets there", async () => {
    const env = await openEnv("draft", { level: "small" });
    const { demonstrators = {} } = await getWorld("draft");
    const [task] = env.tasks("train", { count: 1 }) as Iterable<Task>;
    const [best] = await played(env, [demonstrators["expert"] as Demonstrator], 1, 1);
    const way = best?.steps.map(({ action }) => action).slice(0, -1) ?? [];
    const [line = "", length = ""] = way.at(-1)?.split(" ") ?? [];
    const worse = ["short", "long"].find((other) => other !== length) ?? "";
    const stall = ["draft short", "draft middle", "draft long"].find((draft) => draft !== way[0]) ?? "";
    const who = [
      saying("stops", [...way, "stop"]),
      saying("loses", [...way, `${line === "draft" ? "news" : line} ${worse}`, "stop"]),
      saying("stalls", [stall, "stop"]),
    ];
    const plan = readRewardPlan({
      rewards: [{ use: "world-part", as: "quality", options: { of: "quality" }, weight: 1, level: "step" }],
    });
    const { trajectories } = await rewardTrajectories(await played(env, who, 1, 1), plan, {});
    expect(trajectories.every((one) => one.task.id === task?.id)).toBe(true);
    const batch = batchFromTrajectories(trajectories);
    const advantages = perRow(assignCredit(getCredit("pre-grpo"), batch, { maxTurns: 10 }));
    const [stops, loses, stalls] = who.map(({ id }) => {
      const at = batch.rows.findIndex(({ trajectory }) => trajectory.startsWith(id));
      return advantages[at] as number;
    });
    expect(stops).toBeGreaterThan(loses as number);
    expect(loses).toBeGreaterThan(stalls as number);
  });
});

describe("ProcVLM", () => {
  test("in household the world's procedure is paid in full to who does it, and with idle 0 a step that changes nothing earns 0", async () => {
    const env = await openEnv("household", { dial: "tiny" });
    const { demonstrators = {} } = await getWorld("household");
    const expert = demonstrators["expert"] as Demonstrator;
    /** Looks around before everything it does. */
    const idle: Demonstrator = {
      ...expert,
      id: "idle",
      start: (task, rng) => {
        const knowing = expert.start(task, rng);
        let [isIdle, last, due] = [false, undefined as string | undefined, ""];
        return {
          next: (seen) => {
            isIdle = !isIdle;
            if (!isIdle) return (last = due);
            due = knowing.next({ ...seen, action: last });
            return "inventory";
          },
        };
      },
    };
    const episodes = await played(env, [expert, idle], 24, 1);
    const plan = readRewardPlan({
      rewards: [{ use: "subgoals", weight: 1, options: { idle: 0 } }],
      stepReward: "subgoals",
    });
    const gold = ({ task }: Trajectory) => ({ subgoals: env.procedure?.(task) ?? [] });
    const { trajectories } = await rewardTrajectories(episodes, plan, { gold });
    const solved = trajectories.filter(({ success }) => success === true);
    expect(solved.length).toBeGreaterThan(24);
    expect(new Set(solved.map(({ task }) => task.data?.["family"])).size).toBeGreaterThan(3);
    for (const { reward, steps } of solved) {
      expect(scoreValue(reward)).toBeCloseTo(1, 9);
      const flat = steps.filter(({ action }) => action === "inventory");
      expect(flat.every((step) => scoreValue(step.reward) === 0)).toBe(true);
    }
    expect(solved.some(({ steps }) => steps.some(({ action }) => action === "inventory"))).toBe(true);
  });
});

describe("LongVideo-R1", () => {
  test("in archive breadth first opens at least twice what the captions lead to, even cut off", async () => {
    const env = await openEnv("archive", { size: "tiny" });
    const { demonstrators = {} } = await getWorld("archive");
    const reads = async (name: string, least: number): Promise<number[]> => {
      const episodes = await played(env, [demonstrators[name] as Demonstrator], 40, 1);
      expect(mean(episodes.map(({ success }) => Number(success)))).toBeGreaterThanOrEqual(least);
      return episodes.map(({ steps }) =>
        steps.reduce((sum, { info }) => sum + ((info?.["parts"] as { read: number } | undefined)?.read ?? 0), 0),
      );
    };
    const [follows, wide] = [await reads("expert", 1), await reads("breadth", 0.3)];
    expect(mean(wide)).toBeGreaterThan(2 * mean(follows));
  });
});
