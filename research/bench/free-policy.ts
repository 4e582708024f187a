/** What the benches of search share: a policy that costs nothing, how it is spoken to, and one task to search in. */
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Conversation, Policy, Sampled } from "../../packages/policy/src/policy/policy.ts";
import type { Dialect } from "../../packages/policy/src/policy/dialect.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { drawTokens } from "./policy-models.ts";

export const ANSWER = 6;

/** An opening of 139 tokens and observations of 20, as household has them; every answer is an action of its own. */
export function fixedDialect(action?: string): Dialect {
  const observation = drawTokens("0.9M", 20, "observation");
  return {
    opening: (text) => drawTokens("0.9M", 139, text),
    turn: () => observation,
    stop: [],
    answer: (ids) => action ?? Array.from(ids).join(" "),
    reply: () => drawTokens("0.9M", ANSWER, "reply"),
  };
}

/** A policy that costs nothing: what is left of a search's time is its own. `count` tells its answers apart. */
export function createFreePolicy(): Policy {
  let count = 0;
  const open = (past: number): Conversation => {
    let length = past;
    return {
      get tokens() {
        return new Int32Array(length);
      },
      extend: (ids) => {
        length += ids.length;
      },
      sample: async (): Promise<Sampled> => {
        count += 1;
        length += ANSWER;
        const ids = new Int32Array(ANSWER);
        for (let at = 0, rest = count; at < ANSWER; at += 1, rest = Math.floor(rest / 1_000)) ids[at] = rest % 1_000;
        const logprobs = new Float32Array(ANSWER).fill(-0.5);
        return { ids, logprobs, sampledLogprobs: logprobs, version: 0, ending: "length" };
      },
      fork: () => open(length),
      close: () => undefined,
    };
  };
  return { ref: { name: "free", version: 0 }, open: () => open(0), close: () => Promise.resolve() };
}

export async function firstTask(env: Env): Promise<Task> {
  for await (const task of env.tasks("train", { count: 1 })) return task;
  throw new Error("The world has no task.");
}
