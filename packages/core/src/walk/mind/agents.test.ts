import { expect, test } from "vitest";
import { createCorridor } from "../../env/corridor.ts";
import type { TextConversation, TextPolicy, TextSampled } from "limbeck-policy/policy/text-policy";
import type { Message, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { plainForm, taggedForm } from "./action-form.ts";
import { contextAction } from "./context-action.ts";
import { createDemonstratorAgent } from "./demonstrator-agent.ts";
import { createTextAgent } from "./text-agent.ts";
import { memoryPrompts } from "./memory-prompts.ts";
import { rebuiltPrompts } from "./prompter.ts";
import { rollOut } from "../line/roll-out.ts";
import type { Agent } from "./agent.ts";
import { createStrategy } from "../../rollout/registry.ts";
import type { Scope } from "../../rollout/strategy.ts";

const env = createCorridor();
const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
const [task] = tasks as [Task];

/** A chat that answers by a function of its last message. */
function chat(answer: (last: string, turn: number) => string, seen: string[][] = []): TextPolicy {
  const open = (past: readonly Message[]): TextConversation => {
    const messages = [...past];
    return {
      get messages() {
        return [...messages];
      },
      extend: (more) => void messages.push(...more),
      sample: async (): Promise<TextSampled> => {
        const texts = messages.map(({ content }) => (typeof content === "string" ? content : ""));
        seen.push(texts);
        const text = answer(texts.at(-1) ?? "", seen.length - 1);
        messages.push({ role: "assistant", content: text });
        return { text, usage: { completionTokens: 2, promptTokens: 5 }, version: 0, ending: "stop" };
      },
      fork: () => open(messages),
      close: () => undefined,
    };
  };
  return { ref: { name: "chat", version: 0 }, open: () => open([]), close: () => Promise.resolve() };
}

const roll = async (agent: Agent): Promise<Trajectory> => {
  const { trajectories } = await rollOut({
    env,
    agent,
    strategy: createStrategy("group", { size: 1 }),
    tasks,
    seed: 1,
  });
  return trajectories[0] as Trajectory;
};

test("a chat's episode keeps messages, replies and usage, and no tokens", async () => {
  const seen: string[][] = [];
  const policy = chat(() => "<think>on</think><action>go east</action>", seen);
  const trajectory = await roll(createTextAgent({ policy, form: taggedForm, system: "Walk." }));
  expect(trajectory).toMatchObject({ ending: "terminated", success: true, streams: [] });
  expect(trajectory.steps.map(({ action }) => action)).toEqual(["go east", "go east", "go east"]);
  expect(trajectory.steps[0]).toMatchObject({
    messages: [
      { role: "system", content: "Walk." },
      { role: "user", content: "Room 1." },
    ],
    reply: { role: "assistant" },
    usage: { modelCalls: 1, completionTokens: 2 },
  });
  expect(trajectory.steps[1]?.messages).toEqual([{ role: "user", content: "Room 2." }]);
  expect(seen[2]).toHaveLength(6);
});

test("an answer that cannot be read is the empty action, refused by the world", async () => {
  const trajectory = await roll(createTextAgent({ policy: chat(() => "go east"), form: taggedForm }));
  expect(trajectory).toMatchObject({ ending: "truncated", success: false });
  expect(trajectory.steps[0]).toMatchObject({ action: "", valid: false, reply: { content: "go east" } });
});

test("branches of a chat share its messages", async () => {
  const seen: string[][] = [];
  const agent = createTextAgent({ policy: chat(() => "go east", seen), form: plainForm });
  const run = async (scope: Scope): Promise<void> => {
    const trunk = await scope.open(task, "trunk");
    await trunk?.advance();
    const branch = await trunk?.branchAt({ step: 1, guidance: "Hurry." }, "branch");
    await branch?.step();
  };
  const { trajectories } = await rollOut({ env, agent, strategy: { run }, tasks, seed: 1 });
  expect(trajectories[1]?.parent).toEqual({ trajectory: "corridor-train-0/trunk", step: 1 });
  expect(seen.at(-1)).toEqual(["Room 1.", "go east", "Room 2.\n\nHurry."]);
});

test("a demonstrator acts on what it has seen, and its branches too", async () => {
  const moments: string[] = [];
  const agent = createDemonstratorAgent({
    id: "walker",
    summary: "",
    start: () => ({
      next: ({ observation }) => {
        moments.push(observation);
        return "go east";
      },
    }),
  });
  const run = async (scope: Scope): Promise<void> => {
    const trunk = await scope.open(task, "trunk");
    await trunk?.step();
    await (await trunk?.fork("twig"))?.step();
  };
  const { trajectories, spent } = await rollOut({ env, agent, strategy: { run }, tasks, seed: 1 });
  expect(trajectories[1]?.steps.map(({ index, action }) => [index, action])).toEqual([[1, "go east"]]);
  expect(moments).toEqual(["Room 1.", "Room 1.", "Room 2."]);
  expect(spent).toMatchObject({ envSteps: 2, sampledTokens: 0, modelCalls: 0 });
});

test("rebuilt prompts show the goal, the last turns and now, in a context of their own", async () => {
  const seen: string[][] = [];
  await roll(createTextAgent({ policy: chat(() => "go east", seen), prompting: rebuiltPrompts({ turns: 1 }) }));
  expect(seen).toEqual([
    ["Room 1."],
    ["Your task: Reach room 4.\n\nStep 1\nYou saw: Room 1.\nYou did: go east\n\nNow\nRoom 2."],
    ["Your task: Reach room 4.\n\nStep 2\nYou saw: Room 2.\nYou did: go east\n\nNow\nRoom 3."],
  ]);
  expect(() => rebuiltPrompts({ turns: -1 })).toThrow("A history of -1 turns");
});

test("a memory is rewritten by the policy and is all it keeps", async () => {
  const seen: string[][] = [];
  const policy = chat((_, turn) => (turn === 1 ? "go east" : `<memory>been in ${turn + 1}</memory>go east`), seen);
  const trajectory = await roll(createTextAgent({ policy, prompting: memoryPrompts() }));
  expect(seen.map((texts) => texts.join())).toEqual([
    "Question: Reach room 4.\n\nRoom 1.",
    "Question: Reach room 4.\n\nMemory: been in 1\n\nRoom 2.",
    "Question: Reach room 4.\n\nMemory: been in 1\n\nRoom 3.",
  ]);
  expect(trajectory.steps.map(({ info }) => info?.["memory"])).toEqual(["been in 1", undefined, "been in 3"]);
});

test("a condensed context is a step of its own and does not touch the world", async () => {
  const seen: string[][] = [];
  const policy = chat((_, turn) => (turn === 1 ? "condense: one room done" : "go east"), seen);
  const trajectory = await roll(createTextAgent({ policy, prompting: contextAction() }));
  expect(trajectory.steps.map(({ action, info }) => [action, info?.["internal"] ?? false])).toEqual([
    ["go east", false],
    ["condense: one room done", true],
    ["go east", false],
    ["go east", false],
  ]);
  expect(seen[2]).toEqual(["Your task: Reach room 4.\n\nSo far: one room done\n\nNow\nRoom 2."]);
  expect(seen[3]).toHaveLength(3);
  expect(trajectory.success).toBe(true);
});

test("an agent that only tends to its context is sent to the world every third time", async () => {
  const trajectory = await roll(createTextAgent({ policy: chat(() => "condense: again"), prompting: contextAction() }));
  expect(trajectory.ending).toBe("truncated");
  expect(trajectory.steps).toHaveLength(36);
  expect(trajectory.steps.filter(({ valid }) => !valid)).toHaveLength(12);
});
