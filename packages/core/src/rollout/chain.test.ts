import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Step, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { chainRewards, chainsOf, readSkill, skillsOf, withSkills, withTaskSkills } from "./chain.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";

test("who solved its task and wrote a skill shares in what came of it", () => {
  const first = { solved: true, used: false, writers: [] };
  const second = { solved: true, used: true, writers: [0] };
  // Both solved, the second with the skill of the first: 2, 2. The first failed: 0, 2.
  expect(chainRewards([first, second], 1)).toEqual([2, 2]);
  expect(chainRewards([{ ...first, solved: false }, second], 1)).toEqual([0, 2]);
  expect(chainRewards([first, second], 0.5)).toEqual([1.5, 1.5]);
  expect(chainRewards([first, { ...second, solved: false, used: false, writers: [] }], 1)).toEqual([1, 0]);
  // A use that did not solve it is worth nothing.
  expect(chainRewards([first, { ...second, solved: false }], 1)).toEqual([1, 0]);
  // A skill that was there before the chain pays who used it, and nobody for having written it.
  expect(chainRewards([first, { ...second, writers: [] }], 1)).toEqual([1, 2]);
  // Three tasks: the first is paid once, however many used its skill.
  expect(chainRewards([first, second, { ...second, writers: [0, 1] }], 1)).toEqual([2, 3, 2]);
});

test("a skill that was written anew in an episode is its own, not the one it began with", () => {
  const steps = [
    { action: "use walk", info: { skill: { used: "walk", complete: true } } },
    { action: "skill back: go west", info: { skill: { written: "back" } } },
    { action: "use back", info: { skill: { used: "back", complete: true } } },
    { action: "use jump", info: { skill: { used: "jump", complete: false } } },
  ] as unknown as readonly Step[];
  expect(skillsOf(steps)).toEqual({ written: [{ name: "back", actions: ["go west"] }], used: ["walk"] });
});

test("chains join tasks whose goals are alike", () => {
  const goals = ["heat an egg", "sum 3 and 9", "heat an apple", "sum 4 and 7", "sweep"];
  const tasks = goals.map((goal): Task => ({ id: goal, env: "x", seed: 0, goal, split: "train" }));
  const ids = (order: "alike" | "given") =>
    chainsOf(tasks, { length: 2, order }).map((links) => links.map(({ id }) => goals.indexOf(id)));
  expect(ids("alike")).toEqual([[0, 2], [1, 3], [4]]);
  expect(ids("given")).toEqual([[0, 1], [2, 3], [4]]);
});

test("what is a skill and what is not", () => {
  expect(readSkill("skill walk: go east; go east ;")).toEqual({ name: "walk", actions: ["go east", "go east"] });
  for (const text of ["skill walk:", "skill walk: ;", "skill 9: go east", "use walk", "skill ../x: go east"]) {
    expect(readSkill(text)).toBeUndefined();
  }
});

const env = createCorridor();
const [task] = env.tasks("train") as Iterable<Task>;

test("a skill is one step of the episode and ends where it is refused", async () => {
  const skills = [{ name: "walk", actions: ["go east", "go east"] }];
  const episode = await withSkills(env).open(withTaskSkills(task as Task, skills));
  expect(episode.observation).toBe("Room 1.\n\nSkills:\nuse walk (go east; go east)");
  expect(episode.admissible()).toEqual(["go east", "use walk"]);
  const fork = await episode.fork();
  expect(await episode.step("use walk")).toMatchObject({
    observation: "Room 2.\nRoom 3.",
    valid: true,
    info: { skill: { used: "walk", complete: true, steps: 2 } },
  });
  expect(await episode.step("skill back: go west; jump; go west")).toMatchObject({ valid: true });
  expect(episode.observation).toBe("Skill back is written.");
  expect(await episode.step("use back")).toMatchObject({
    valid: false,
    info: { skill: { used: "back", complete: false, steps: 2 } },
  });
  // The goal ends it on the way.
  await episode.step("go east");
  expect(await episode.step("use walk")).toMatchObject({ success: true, reward: { value: 1 }, valid: true });
  expect(fork.stateKey).toBe("room 1");
  expect((await fork.step("use back")).valid).toBe(false);
});

test("writing has an end: the ninth goes to the world, whose clock counts", async () => {
  const episode = await withSkills(env).open(task as Task);
  for (let skill = 0; skill < 8; skill += 1) expect((await episode.step(`skill s${skill}: go east`)).valid).toBe(true);
  expect((await episode.step("skill s9: go east")).valid).toBe(false);
});

test("skills written in one task are called in the next, and every chain begins without", async () => {
  const policy = createScriptedPolicy({
    script: ({ text, index }) => {
      if (text.includes("use walk")) return "use walk";
      return index === 0 ? "skill walk: go east; go east; go east" : "go east";
    },
  });
  const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
  const tasks = [...(env.tasks("train", { count: 4 }) as Iterable<Task>)];
  const { trajectories } = await rollOut({
    env,
    agent,
    tasks,
    strategy: createStrategy("chain", { size: 2 }),
    seed: 1,
  });
  expect(trajectories).toHaveLength(8);
  const at = (index: number): Trajectory[] =>
    trajectories.filter(({ info }) => (info?.["chain"] as { readonly index: number } | undefined)?.index === index);
  for (const one of at(0)) {
    expect(one.steps.map(({ action }) => action)).toEqual([
      "skill walk: go east; go east; go east",
      "go east",
      "go east",
      "go east",
    ]);
    expect(one.info?.["chain"]).toMatchObject({ carried: 0, used: false, reward: 2 });
  }
  for (const one of at(1)) {
    expect(one.steps.map(({ action }) => action)).toEqual(["use walk"]);
    expect(one.info?.["chain"]).toMatchObject({ carried: 1, used: true, reward: 2 });
    // The task itself holds the skills, so that it opens the same world again.
    expect(one.task.data).toEqual({ skills: [{ name: "walk", actions: ["go east", "go east", "go east"] }] });
  }
});
