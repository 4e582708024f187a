import { describe, expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { published } from "../../../../test/support/published.ts";
import { assignCredit } from "../credit/assign.ts";
import { batchFromTrajectories } from "../credit/from-trajectories.ts";
import { getCredit } from "../credit/registry.ts";
import { archive, curation, rolloutsFor } from "./archive.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { strategyContract } from "./strategy.contract.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";

const options = { size: 3, dropAlike: true, easyRate: 0.5, easySize: 1, slack: 1.5 };
strategyContract({ name: "archive with a leash", create: () => archive.create(options), runner: { describe, test } });

const env = createCorridor();
const [task] = env.tasks("train") as Iterable<Task>;
const roll = (strategy: ReturnType<typeof createStrategy>, says: string, seed: number) => {
  const policy = createScriptedPolicy({ script: () => says, version: seed });
  const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
  return rollOut({ env, agent, strategy, tasks: [task as Task], seed, prefix: `${seed}/` });
};

test("in a group of failures the newest success takes the place of the oldest", async () => {
  const strategy = createStrategy("archive", { size: 2, easySize: 2 });
  await roll(strategy, "go east", 1);
  await roll(strategy, "go east", 2);
  const { trajectories, episodes } = await roll(strategy, "wait", 3);
  expect(trajectories.map(({ id, success, info }) => [id, success, info?.["leftOut"]])).toEqual([
    ["3/corridor-train-0/0", false, "an earlier success of the task took its place"],
    ["3/corridor-train-0/1", false, undefined],
    ["3/corridor-train-0/archive-0", true, undefined],
  ]);
  const { trajectories: learned, leftOut } = batchFromTrajectories(trajectories);
  expect([...learned.keys()]).toEqual(["3/corridor-train-0/1", "3/corridor-train-0/archive-0"]);
  expect(leftOut).toEqual([
    { trajectory: "3/corridor-train-0/0", why: "an earlier success of the task took its place" },
  ]);
  expect(new Set(trajectories.map(({ group }) => group)).size).toBe(1);
  // It is the last success of version 2, and says so.
  expect(trajectories[2]).toMatchObject({
    policy: { version: 2 },
    info: { archive: { from: "2/corridor-train-0/1" } },
  });
  expect(episodes).toBe(2);
});

test("a group of eight keeps its size: one success and seven failures", async () => {
  const strategy = createStrategy("archive", { easySize: 8 });
  await roll(strategy, "go east", 1);
  const { trajectories } = await roll(strategy, "wait", 2);
  const batch = batchFromTrajectories(trajectories);
  const { advantages } = assignCredit(getCredit("grpo"), batch, { countTrajectoryOnce: true });
  const first = new Map(batch.rows.map(({ trajectory }, at) => [trajectory, advantages[at]?.find((one) => one !== 0)]));
  // Mean 1/8, deviation sqrt(7 / 8 / 8) with n - 1: 0.353553. (1 - 0.125) / 0.353554 = 2.474867, -0.125 / 0.353554 = -0.353552.
  expect(first.size).toBe(8);
  expect(first.get("2/corridor-train-0/archive-0")).toBeCloseTo(2.474867, 5);
  expect(first.get("2/corridor-train-0/7")).toBeCloseTo(-0.353552, 5);
});

test("groups of failures alone and of successes alone are left out, unless they are wanted", async () => {
  const reasons = async (says: string, dropAlike: boolean): Promise<string[]> => {
    const { trajectories } = await roll(createStrategy("archive", { size: 2, dropAlike }), says, 1);
    expect(trajectories.every(({ reward }) => reward.kind === "scored")).toBe(true);
    return batchFromTrajectories(trajectories).leftOut.map(({ why }) => why);
  };
  const [failed, won] = ["none of its task has succeeded yet", "all of its group succeeded"];
  expect(await reasons("wait", true)).toEqual([failed, failed]);
  expect(await reasons("go east", true)).toEqual([won, won]);
  expect(await reasons("wait", false)).toEqual([]);
  expect(await reasons("go east", false)).toEqual([]);
});

interface Filtered {
  readonly group: readonly number[];
  readonly history: readonly number[];
  readonly kept: readonly string[];
}

test("what the published filter keeps of a group is what is kept here", () => {
  const { cases } = published<Filtered>("dart");
  expect(cases.length).toBeGreaterThan(10);
  for (const { group, history, kept } of cases) {
    const newest = history.lastIndexOf(1);
    const { replaced, dropped } = curation(
      group.map((one) => one === 1),
      newest >= 0,
    );
    const members = group.map((_, at) => `g${at}`).filter((_, at) => dropped === undefined && at !== replaced);
    expect({ group, kept: [...members, ...(replaced === undefined ? [] : [`h${newest}`])] }).toEqual({ group, kept });
  }
});

test("tasks that are known to be easy are tried less", () => {
  const known = { size: 8, easyRate: 0.6, easySize: 4 };
  expect(rolloutsFor({ tries: 0, wins: 0 }, known)).toBe(8);
  expect(rolloutsFor({ tries: 10, wins: 5 }, known)).toBe(8);
  expect(rolloutsFor({ tries: 10, wins: 6 }, known)).toBe(4);
  expect(rolloutsFor({ tries: 1, wins: 1 }, { ...known, size: 2 })).toBe(2);
});

test("with slack an episode is cut after so many lengths of the longest success, and is a failure", async () => {
  const strategy = createStrategy("archive", { size: 2, easySize: 2, slack: 2 });
  // Three steps east are the success; twice that is six, half of what the world allows.
  await roll(strategy, "go east", 1);
  const { trajectories } = await roll(strategy, "wait", 2);
  expect(trajectories[1]).toMatchObject({ ending: "truncated", success: false, info: { stopped: "length" } });
  expect(trajectories[1]?.steps).toHaveLength(6);
  expect(trajectories[1]?.reward).toEqual({ kind: "scored", value: 0 });
});
