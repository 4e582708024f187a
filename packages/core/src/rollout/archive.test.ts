import { describe, expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { archive, rolloutsFor } from "./archive.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { strategyContract } from "./strategy.contract.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";

const options = { size: 3, easyRate: 0.5, easySize: 1, successes: 2, slack: 1.5 };
strategyContract({ name: "archive with a leash", create: () => archive.create(options), runner: { describe, test } });

const env = createCorridor();
const [task] = env.tasks("train") as Iterable<Task>;
const roll = (strategy: ReturnType<typeof createStrategy>, says: string, seed: number) => {
  const policy = createScriptedPolicy({ script: () => says, version: seed });
  const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
  return rollOut({ env, agent, strategy, tasks: [task as Task], seed, prefix: `${seed}/` });
};

test("a group without success gets an earlier success of its task back", async () => {
  const strategy = createStrategy("archive", { size: 2 });
  // Nothing is known yet: a failure stays alone.
  expect((await roll(strategy, "wait", 1)).trajectories).toHaveLength(2);
  expect((await roll(strategy, "go east", 2)).trajectories).toHaveLength(2);
  const { trajectories, episodes } = await roll(strategy, "wait", 3);
  expect(trajectories.map(({ id, success }) => [id, success])).toEqual([
    ["3/corridor-train-0/0", false],
    ["3/corridor-train-0/1", false],
    ["3/corridor-train-0/archive-0", true],
  ]);
  expect(new Set(trajectories.map(({ group }) => group)).size).toBe(1);
  // It is the success of version 2, and says so.
  expect(trajectories[2]).toMatchObject({
    policy: { version: 2 },
    info: { archive: { from: "2/corridor-train-0/0" } },
  });
  expect(episodes).toBe(2);
});

test("tasks that are known to be easy are tried less", () => {
  const known = { size: 8, easyRate: 0.6, easySize: 4 };
  expect(rolloutsFor({ tries: 0, wins: 0 }, known)).toBe(8);
  expect(rolloutsFor({ tries: 10, wins: 5 }, known)).toBe(8);
  expect(rolloutsFor({ tries: 10, wins: 6 }, known)).toBe(4);
  expect(rolloutsFor({ tries: 1, wins: 1 }, { ...known, size: 2 })).toBe(2);
});

test("with slack an episode is cut after so many lengths of the longest success, and is a failure", async () => {
  const strategy = createStrategy("archive", { size: 1, easySize: 1, slack: 2 });
  // Three steps east are the success; twice that is six, half of what the world allows.
  await roll(strategy, "go east", 1);
  const { trajectories } = await roll(strategy, "wait", 2);
  expect(trajectories[0]).toMatchObject({ ending: "truncated", success: false, info: { stopped: "length" } });
  expect(trajectories[0]?.steps).toHaveLength(6);
  expect(trajectories[0]?.reward).toEqual({ kind: "scored", value: 0 });
});
