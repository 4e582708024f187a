import { expect, test } from "vitest";
import type { Env, Episode, StepResult } from "../env/env.ts";
import { withRetry } from "../env/with-retry.ts";
import { createStrategy } from "../rollout/registry.ts";
import { createSearch } from "../search/registry.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "./check-ground.ts";
import { rollOut } from "./line/roll-out.ts";
import { createDemonstratorAgent } from "./mind/demonstrator-agent.ts";
import { runSearch } from "./tree/run-search.ts";

const { agent } = createCheckGround();

/** A world as a person writes it in plain JavaScript: nothing is async, and `close` gives nothing back. */
function plain(change: Record<string, unknown> = {}, room = 0): Env {
  const task: Task = { id: "plain/0", env: "plain", seed: 0, goal: "Go east.", split: "train" };
  const episodeAt = (start: number): Episode => {
    let at = start;
    const episode = {
      task,
      get observation() {
        return `room ${at}`;
      },
      get stateKey() {
        return String(at);
      },
      get ending() {
        return at >= 2 ? "terminated" : undefined;
      },
      get reward() {
        return scored(at >= 2 ? 1 : 0);
      },
      get success() {
        return at >= 2 ? true : null;
      },
      admissible: () => ["go east", "go west"],
      step: (action: string) => {
        at += action === "go east" ? 1 : 0;
        const { observation, reward, ending, success } = episode;
        return { observation, reward, ending, success, valid: true };
      },
      fork: () => episodeAt(at),
      close: () => undefined,
    };
    return Object.defineProperties(episode, Object.getOwnPropertyDescriptors(change)) as unknown as Episode;
  };
  return {
    id: "plain",
    summary: "",
    maxSteps: 6,
    splits: { train: 1 },
    tasks: () => [task],
    open: (() => episodeAt(room)) as never,
  };
}

const roll = async (env: Env, strategy: "group" | "tree" = "group") => {
  const { trajectories } = await rollOut({
    env,
    agent,
    tasks: [...(env.tasks("train") as Iterable<Task>)],
    strategy: createStrategy(strategy, strategy === "group" ? { size: 2 } : {}),
    attempts: 1,
    seed: 1,
  });
  return trajectories;
};

test.each(["group", "tree"] as const)("a world without a promise is played to its end by %s", async (strategy) => {
  const trajectories = await roll(plain(), strategy);
  expect(trajectories.map(({ failure }) => failure?.message ?? "played")).toEqual(trajectories.map(() => "played"));
});

test("a search plays it too, and tries again where it fails", async () => {
  const env = plain();
  const [task] = [...(env.tasks("train") as Iterable<Task>)] as [Task];
  const { trajectories } = await runSearch({
    env,
    agent,
    task,
    search: createSearch("mcts", { iterations: 4, stop: false }),
    seed: 1,
  });
  expect(trajectories.every(({ ending }) => ending !== "failed")).toBe(true);
  let steps = 0;
  const shaky = {
    step: (): StepResult => {
      steps += 1;
      throw new TypeError("lost its way");
    },
  };
  const episode = await withRetry(plain(shaky)).open(task);
  expect(await episode.step("go east")).toMatchObject({ ending: "failed" });
  expect(steps).toBe(3);
});

const thrown = (): never => {
  throw new TypeError("cannot read 'door'");
};

test.each([
  ["throws in step", { step: thrown }, /The world "plain" failed in step .*plain\/0.*TypeError: cannot read 'door'/],
  ["gives nothing in step", { step: () => undefined }, /"plain" .*step.*missing/],
  [
    "gives a result without a reward",
    { step: () => ({ observation: "", valid: true, success: null }) },
    /step.*reward/,
  ],
  ["has no close", { close: undefined }, /"plain" .*open.*"close" is missing/],
  ["throws in admissible", { admissible: thrown }, /"plain" failed in admissible .*TypeError/],
  ["gives a text in admissible", { admissible: () => "go east" }, /"plain" .*admissible.*not a list/],
  ["promises its list", { admissible: () => Promise.resolve([]) }, /"plain" .*admissible.*not a list/],
])("a world that %s is named, with the method", async (_, change, message) => {
  const env = plain(change);
  const { trajectories } = await rollOut({
    env,
    agent: createDemonstratorAgent({
      id: "asks",
      summary: "",
      start: () => ({ next: ({ admissible = [] }) => admissible[0] ?? "go east" }),
    }),
    tasks: [...(env.tasks("train") as Iterable<Task>)],
    strategy: createStrategy("group", { size: 1 }),
    attempts: 1,
    seed: 1,
  });
  expect(trajectories.map(({ failure }) => failure?.message ?? "played")).toEqual([expect.stringMatching(message)]);
});

test.each([
  ["throws in fork", { fork: thrown }, /"plain" failed in fork .*TypeError/],
  [
    "gives itself in fork",
    {
      fork(this: Episode) {
        return this;
      },
    },
    /"plain" .*fork.*itself/,
  ],
])("a copy of a world that %s is named", async (_, change, message) => {
  const failures = (await roll(plain(change), "tree")).map(({ failure }) => failure?.message);
  expect(failures).toContainEqual(expect.stringMatching(message));
});

test("a world that throws when it is opened is named", async () => {
  const env = { ...plain(), open: thrown };
  const failures = (await roll(env)).map(({ failure }) => failure?.message);
  expect(failures[0]).toMatch(/The world "plain" failed in open .*TypeError: cannot read 'door'/);
});
