import fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import type { TextConversation, TextPolicy } from "limbeck-policy/policy/text-policy";
import { createCheckGround, type CheckGround } from "../check-ground.ts";
import { createTextAgent } from "../mind/text-agent.ts";
import { createForest, episodeSteps, validateForest } from "limbeck-base/trajectory/forest";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Message, Task } from "limbeck-base/trajectory/trajectory";
import { checkBudget } from "../../search/check-search.ts";
import { runSearch, type SearchResult } from "./run-search.ts";
import type { RunSearchOptions } from "./search.ts";
import { createSearch } from "../../search/registry.ts";

function taskOf({ env }: Pick<CheckGround, "env">): Task {
  return [...(env.tasks("train") as Iterable<Task>)][0] as Task;
}

async function searchOn(ground: CheckGround, options: Partial<RunSearchOptions> = {}): Promise<SearchResult> {
  const search = createSearch("best-of-n", { n: 6, stop: false });
  return await runSearch({ env: ground.env, agent: ground.agent, task: taskOf(ground), search, seed: 7, ...options });
}

test("six episodes from one root are a valid forest whose first line is the chosen one", async () => {
  const ground = createCheckGround();
  const result = await searchOn(ground);
  expect(validateForest(result.trajectories)).toEqual([]);
  expect(result.trajectories).toHaveLength(6);
  expect(result.success).toBe(true);
  const [first] = result.trajectories;
  expect(first?.steps.map(({ action }) => action)).toEqual(result.actions);
  expect(first?.success).toBe(true);
  const forest = createForest(result.trajectories);
  for (const trajectory of result.trajectories) {
    const episode = episodeSteps(forest, trajectory.id);
    expect(episode.map(({ index }) => index)).toEqual(episode.map((_, at) => at));
    // What the policy said stands where the step says it stands, also behind the shared opening.
    const [whole] = wholeStreams(forest, trajectory);
    const shared = trajectory.info?.["sharedTokens"] ?? 0;
    expect(whole?.ids.length).toBe(Number(shared) + (trajectory.streams[0]?.ids.length ?? 0));
    const said = trajectory.steps.flatMap(({ span }) => [
      ...(trajectory.streams[span?.stream ?? 0]?.mask.subarray(span?.start, span?.end) ?? []),
    ]);
    expect(said.every((mark) => mark === 1)).toBe(true);
    const marked = trajectory.streams.reduce((total, { mask }) => total + mask.reduce((sum, one) => sum + one, 0), 0);
    expect(marked).toBe(said.length);
  }
  expect(ground.counts).toMatchObject({ episodes: 0, conversations: 0 });
  expect(result.spent).toMatchObject({
    envSteps: ground.counts.envSteps,
    modelCalls: ground.counts.modelCalls,
    sampledTokens: ground.counts.sampledTokens,
  });
});

test("the same seed gives the same tree whatever the concurrency", async () => {
  const shapes = await Promise.all(
    [1, 3, 64].map(async (concurrency) => {
      const { trajectories } = await searchOn(createCheckGround({ jumbled: true }), { concurrency, date: () => "" });
      return trajectories.map(({ timing: _timing, steps, ...rest }) => ({
        ...rest,
        steps: steps.map(({ timing: __timing, ...step }) => step),
      }));
    }),
  );
  expect(shapes[1]).toStrictEqual(shapes[0]);
  expect(shapes[2]).toStrictEqual(shapes[0]);
});

test("replayed worlds give the same tree as copied ones", async () => {
  const copied = await searchOn(createCheckGround());
  const ground = createCheckGround();
  const replayed = await searchOn(ground, { worlds: "replay" });
  expect(replayed.trajectories.map(({ id, reward }) => ({ id, reward }))).toEqual(
    copied.trajectories.map(({ id, reward }) => ({ id, reward })),
  );
  expect(ground.counts.episodes).toBe(0);
});

/** A chat that says another thing every time it is asked at one message. */
function createChat(asked: string[][]): TextPolicy {
  const open = (past: readonly Message[], seed: string): TextConversation => {
    const messages = [...past];
    return {
      messages,
      extend: (more) => void messages.push(...more),
      sample: async ({ maxTokens }) => {
        asked.push(messages.map(({ content }) => (typeof content === "string" ? content : "")));
        const text = createRng(`${seed} ${messages.length}`).float() < 0.7 ? "go east" : "go west";
        messages.push({ role: "assistant", content: text });
        return {
          text,
          usage: { promptTokens: 7 * messages.length, completionTokens: Math.min(2, maxTokens) },
          version: 0,
          ending: "stop",
        };
      },
      fork: (label) => open(messages, `${seed} ${label}`),
      close: () => undefined,
    };
  };
  return { ref: { name: "chat" }, open: ({ seed = 0 } = {}) => open([], String(seed)), close: () => Promise.resolve() };
}

test("chats search too: their messages are in the forest, and money is kept", async () => {
  const { env } = createCheckGround();
  const prices = { usdPerMillionRead: 1, usdPerMillionSaid: 4 };
  for (const usd of [0.0005, 0.003]) {
    const asked: string[][] = [];
    const result = await runSearch({
      env,
      agent: createTextAgent({ policy: createChat(asked), answerTokens: 8 }),
      task: taskOf({ env }),
      seed: 3,
      search: createSearch("mcts", { width: 2, iterations: 16, stop: false }),
      prices,
      budget: { usd },
      keep: { minds: 2 },
    });
    expect(validateForest(result.trajectories)).toEqual([]);
    expect(result.spent.usd).toBeLessThanOrEqual(usd);
    expect(result.spent.modelCalls).toBe(asked.length);
    expect(result.nodes).toBeGreaterThan(0);
    for (const step of result.trajectories.flatMap(({ steps }) => steps)) {
      expect(step.reply?.content).toBe(step.action);
      expect(step.messages?.at(-1)?.content).toBe(step.observation);
    }
  }
});

test("a search whose every call fails says why", async () => {
  const { env, agent } = createCheckGround();
  const broken = { ...agent, ref: agent.ref, begin: brokenBegin };
  const running = runSearch({ env, agent: broken, task: taskOf({ env }), seed: 1, search: createSearch("beam") });
  await expect(running).rejects.toMatchObject({ code: "search-failed" });
  function brokenBegin(...given: Parameters<typeof agent.begin>): ReturnType<typeof agent.begin> {
    const mind = agent.begin(...given);
    return { ...mind, fork: () => ({ ...mind, speak: () => Promise.reject(new Error("No model is loaded.")) }) };
  }
});

test("budgets of every kind are kept, whatever they are (property)", async () => {
  const budgets = fc.record(
    {
      modelCalls: fc.nat(30),
      envSteps: fc.nat(30),
      sampledTokens: fc.nat(80),
      tokens: fc.nat(1_500),
      usd: fc.double({ min: 0, max: 0.01, noNaN: true }),
    },
    { noNullPrototype: true, requiredKeys: [] },
  );
  const names = fc.constantFrom("mcts", "beam", "bavt", "ets", "mcgs", "best-of-n", "agent-q");
  await fc.assert(
    fc.asyncProperty(budgets, names, async (budget, name) => {
      await checkBudget({ name, create: () => createSearch(name) }, budget);
    }),
    { numRuns: 40 },
  );
});
