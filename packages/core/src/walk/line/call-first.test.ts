import { expect, test } from "vitest";
import { createCorridor } from "../../env/corridor.ts";
import type { Env, Episode } from "../../env/env.ts";
import { wrapEnv, wrapEpisode } from "../../env/wrap.ts";
import type { Policy } from "limbeck-policy/policy/policy";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createStrategy } from "../../rollout/registry.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { callFirstForm } from "../mind/action-form.ts";
import { createTokenAgent } from "../mind/token-agent.ts";
import { rollOut, type RollOutOptions } from "./roll-out.ts";

/** Time that goes on by itself when nobody has anything else to do; nobody really waits. */
function virtualClock() {
  let now = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const wait = (ms: number): Promise<void> => new Promise((go) => void waiting.push({ at: now + ms, go }));
  const until = async <T>(done: Promise<T>): Promise<T> => {
    let over = false;
    void done.finally(() => (over = true)).catch(() => undefined);
    // A module that is loaded takes some turns.
    for (let turns = 0; turns < 10_000; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (over) return await done;
      waiting.sort((left, right) => left.at - right.at);
      const next = waiting.shift();
      if (next === undefined) continue;
      now = next.at;
      next.go();
    }
    throw new Error("everybody waits for somebody");
  };
  return { now: () => now, wait, until };
}

type Clock = ReturnType<typeof virtualClock>;

/** A tool that takes 100 milliseconds. */
const slowWorld = (clock: Clock): Env => {
  const slow = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      step: async (action, options) => {
        await clock.wait(100);
        return await inner.step(action, options);
      },
      fork: async () => slow(await inner.fork()),
    });
  return wrapEnv(createCorridor(), slow);
};

/** Every token takes ten milliseconds. */
function slowPolicy(policy: Policy, clock: Clock): Policy {
  return {
    ...policy,
    open: (options) => {
      const inner = policy.open(options);
      const sample: typeof inner.sample = async (sampling) => {
        const sampled = await inner.sample(sampling);
        await clock.wait(10 * sampled.ids.length);
        return sampled;
      };
      return { ...inner, get tokens() { return inner.tokens; }, sample }; // prettier-ignore
    },
  };
}

const THOUGHT = "I am sure.";

/** What is left of an answer where its beginning was said already. */
function restOf(answer: string, text: string): string {
  for (let said = answer.length - 1; said > 0; said -= 1) {
    if (text.endsWith(answer.slice(0, said))) return answer.slice(said);
  }
  return answer;
}

async function played(more: Partial<RollOutOptions> = {}, answer = `go east\n${THOUGHT}`, answerTokens = 40) {
  const clock = virtualClock();
  const env = slowWorld(clock);
  const policy = createScriptedPolicy({ script: ({ text }) => restOf(answer, text) });
  const agent = createTokenAgent({
    policy: slowPolicy(policy, clock),
    dialect: plainDialect(policy.tokenizer),
    form: callFirstForm,
    answerTokens,
  });
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const strategy = createStrategy("group", { size: 1 });
  const rolling = rollOut({ env, agent, tasks, strategy, seed: 1, now: clock.now, date: () => "2026-01-01", ...more });
  const { trajectories } = await clock.until(rolling);
  return { trajectory: trajectories[0] as Trajectory, ms: clock.now() };
}

/** What was said and what came of it, without the times and in how many calls it was said. */
const plainly = ({ steps, streams, reward, ending }: Trajectory): unknown => ({
  streams,
  reward,
  ending,
  steps: steps.map(({ timing: _timing, usage: _usage, ...step }) => step),
});

test("the world is asked while thoughts are said: the same answers, in less time", async () => {
  const [apart, together] = [await played({ overlap: false }), await played()];
  expect(plainly(together.trajectory)).toEqual(plainly(apart.trajectory));
  const { steps } = together.trajectory;
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.every(({ action, valid }) => action === "go east" && valid)).toBe(true);
  // Bytes are tokens: 8 of the call and its line, 10 of thoughts, 1 that ends. After 8 the call is known. Apart 190 + 100 a step; together the
  // 110 of the thoughts and the end run beside the 100 of the world.
  expect(apart.ms).toBe(290 * steps.length);
  expect(together.ms).toBe(190 * steps.length);
  expect(together.trajectory.info?.["overlap"]).toEqual({ steps: steps.length, ms: 100 * steps.length });
  expect(apart.trajectory.info?.["overlap"]).toBeUndefined();
});

test("an answer without thoughts, or one that could not be said to its end, asks the world afterwards", async () => {
  const bare = await played({}, "go east");
  expect(bare.trajectory.info?.["overlap"]).toBeUndefined();
  // Tokens for one whole answer and a half: the second step's thoughts cannot be said, so that nothing is asked of the world.
  const limited = { episode: { tokens: 30 } };
  const [apart, together] = [await played({ ...limited, overlap: false }), await played(limited)];
  expect(plainly(together.trajectory)).toEqual(plainly(apart.trajectory));
  expect(together.trajectory.ending).toBe("truncated");
});

test("a world that fails while thoughts are said fails the episode as it does afterwards", async () => {
  const failing: Partial<RollOutOptions> = {
    attempts: 1,
    env: wrapEnv(createCorridor(), (inner) =>
      wrapEpisode(inner, { step: () => Promise.reject(new Error("The floor gave way.")), fork: () => inner.fork() }),
    ),
  };
  const [apart, together] = [await played({ ...failing, overlap: false }), await played(failing)];
  expect(together.trajectory.ending).toBe("failed");
  expect(plainly(together.trajectory)).toEqual(plainly(apart.trajectory));
});

test("the first line is the call, whatever follows", () => {
  expect(callFirstForm.read("\n go east \nand then <action>sit</action>")).toEqual({
    action: "go east",
    readable: true,
  });
  expect(callFirstForm.read(" \n ")).toEqual({ action: "", readable: false });
  expect(callFirstForm.early?.("\ngo ea")).toBeUndefined();
  expect(callFirstForm.early?.("\ngo east\n")).toBe("go east");
});
