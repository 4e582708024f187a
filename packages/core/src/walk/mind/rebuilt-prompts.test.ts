import { expect, test } from "vitest";
import { createCorridor } from "../../env/corridor.ts";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import { createForest, validateForest } from "limbeck-base/trajectory/forest";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createTokenAgent } from "./token-agent.ts";
import { rebuiltPrompts } from "./prompter.ts";
import { rollOut } from "../line/roll-out.ts";
import type { Scope } from "../../rollout/strategy.ts";
import { ANSWER, createWordDialect, END } from "./word-dialect.ts";

const dialect = createWordDialect(["go", "east", "west", "Room", "1.", "2.", "3.", "4."]);
const [GO, EAST, WEST] = dialect.encode("go east west") as unknown as [number, number, number];
const certain = (chances: Record<number, number>): Float64Array =>
  Float64Array.from({ length: dialect.vocabularySize }, (_, id) => chances[id] ?? 0);
const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) =>
  certain(last === ANSWER ? { [GO]: 1 } : last === GO ? { [EAST]: 0.75, [WEST]: 0.25 } : { [END]: 1 }),
);

test("each step has a stream of its own, exact in its tokens, also in a branch inside an answer", async () => {
  const env = createCorridor();
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const agent = createTokenAgent({
    policy: createTabularPolicy({ probabilities }),
    dialect,
    answerTokens: 4,
    temperature: 0.5,
    prompting: rebuiltPrompts({
      turns: 2,
      format: (_, turns, now) => [...turns.map(({ action }) => action), now].join(" "),
    }),
  });
  const run = async (scope: Scope): Promise<void> => {
    const trunk = await scope.open(tasks[0] as Task, "trunk");
    await trunk?.advance();
    await (await trunk?.branchAt({ step: 2, token: 1 }, "branch"))?.advance();
  };
  const { trajectories } = await rollOut({ env, agent, strategy: { run }, tasks, seed: 2 });
  const [trunk, branch] = trajectories as [Trajectory, Trajectory];
  expect(validateForest(trajectories)).toEqual([]);
  expect(trunk.streams).toHaveLength(trunk.steps.length);
  trunk.steps.forEach(({ span, observation, action }, at) => {
    const stream = trunk.streams[at];
    const past = trunk.steps.slice(Math.max(0, at - 2), at).map((step) => step.action);
    const prompt = dialect.opening([...past, observation].join(" "));
    expect(span).toEqual({ stream: at, start: prompt.length, end: stream?.ids.length });
    expect([...(stream?.ids ?? [])]).toEqual([...prompt, ...dialect.reply(action)]);
    // Under the policy itself 3/4 for east; at temperature 1/2 it is 9/10 (9/16 against 1/16).
    const place = prompt.length + 1;
    const east = action === "go east";
    expect(stream?.logprobs?.[place]).toBeCloseTo(Math.log(east ? 0.75 : 0.25), 5);
    expect(stream?.sampledLogprobs?.[place]).toBeCloseTo(Math.log(east ? 0.9 : 0.1), 5);
  });
  const [first] = wholeStreams(createForest(trajectories), branch);
  const shared = trunk.streams[2]?.ids.subarray(0, (trunk.steps[2]?.span?.start ?? 0) + 1) ?? [];
  expect([...(first?.ids.subarray(0, shared.length) ?? [])]).toEqual([...shared]);
  expect(branch.info).toMatchObject({ sharedTokens: shared.length });
});

test("answers can be confined to what the world lists, and the allowed set is kept", async () => {
  const env = createCorridor();
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const policy = createTabularPolicy({ probabilities });
  const agent = createTokenAgent({ policy, dialect, answerTokens: 4, restrict: true });
  const run = async (scope: Scope): Promise<void> => {
    const walk = await scope.open(tasks[0] as Task, "walk");
    await walk?.speak(2);
    await walk?.step();
    await walk?.step();
  };
  const { trajectories } = await rollOut({ env, agent, strategy: { run }, tasks, seed: 2 });
  const [walk] = trajectories as [Trajectory];
  expect(validateForest(trajectories)).toEqual([]);
  // Room 1 has no way west, so that east is certain there, though the policy gives it 3/4.
  expect(walk.steps[0]?.action).toBe("go east");
  const { start = 0 } = walk.steps[0]?.span ?? {};
  const [stream] = walk.streams;
  expect(stream?.logprobs?.[start + 1]).toBeCloseTo(Math.log(0.75), 5);
  expect(stream?.sampledLogprobs?.[start + 1]).toBeCloseTo(0, 5);
  const allowedAt = (token: number): number[] => {
    const { offsets, ids } = stream?.allowed ?? { offsets: new Int32Array(), ids: new Int32Array() };
    return [...ids.subarray(offsets[token], offsets[token + 1])];
  };
  expect([0, 1, 2].map((at) => allowedAt(start + at))).toEqual([[GO], [EAST], [END]]);
  const second = walk.steps[1]?.span?.start ?? 0;
  expect(new Set(allowedAt(second + 1))).toEqual(new Set([EAST, WEST]));
  expect(allowedAt(second - 1)).toEqual([]);
});
