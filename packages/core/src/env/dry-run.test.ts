import { expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCorridor } from "./corridor.ts";
import { dryRun, type DryRun, type DryRunOptions } from "./dry-run.ts";
import type { Env, Episode } from "./env.ts";
import type { Demonstrator } from "./expert.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

/** Two steps east from the goal, and cut off after four. */
const corridor = createCorridor({ rooms: 3, maxSteps: 4 });
const walker: Demonstrator = { id: "walker", summary: "Goes east.", start: () => ({ next: () => "go east" }) };

/** A corridor in which something is as it should not be; it cannot fork, because nothing forks it. */
const changed = (changes: (episode: Episode) => Partial<Episode>): Env =>
  wrapEnv(corridor, (inner) => {
    const fork = (): Promise<Episode> => Promise.reject(new Error("It cannot fork."));
    return wrapEpisode(inner, Object.defineProperties({ fork }, Object.getOwnPropertyDescriptors(changes(inner))));
  });

const tried = async (env: Env, more: Partial<DryRunOptions> = {}): Promise<DryRun> => {
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  return await dryRun({ env, tasks, demonstrators: { walker }, limitMs: 60_000, ...more });
};
const found = ({ findings }: DryRun): string[] =>
  findings.map(({ about, fault, message }) => `${fault ? "!" : "-"} ${about}: ${message}`);

test("a sound world: what each player earns, and how long its lists are", async () => {
  const run = await tried(changed(() => ({})));
  expect(found(run)).toEqual([]);
  expect(run.players.map(({ player }) => player)).toEqual(["walker", "random", "nonsense"]);
  expect(run.players[0]).toEqual({ player: "walker", episodes: 2, solved: 2, least: 1, most: 1, steps: 4, refused: 0 });
  expect(run.players[2]).toEqual({
    player: "nonsense",
    episodes: 2,
    solved: 0,
    least: 0,
    most: 0,
    steps: 8,
    refused: 8,
  });
  // Room 1 lists east alone, room 2 both ways.
  expect([run.shortest, run.longest, run.listed]).toEqual([1, 2, run.moments]);
});

test("given answers are played, the last again and again; without lists none is drawn by lot", async () => {
  const run = await tried(
    changed(() => ({ admissible: () => undefined })),
    { answers: ["jump", "go east"] },
  );
  expect(run.players[1]).toEqual({
    player: "answers",
    episodes: 2,
    solved: 2,
    least: 1,
    most: 1,
    steps: 6,
    refused: 2,
  });
  expect(run.players.map(({ player }) => player)).toEqual(["walker", "answers", "nonsense"]);
  expect(found(run)).toEqual(["- masks: It lists no actions: they are free text, and none is drawn by lot."]);
});

test.each([
  ["fly", ["fly"], '! masks: A listed action is refused: "fly", task corridor-train-0, step 1.'],
  [
    "twice",
    ["go east", "go east"],
    '! masks: The list of actions names "go east" twice, task corridor-train-0, step 0.',
  ],
  ["empty", [], "! masks: The list of actions is empty while the episode goes on, task corridor-train-0, step 0."],
])("a list that does not hold: %s", async (_, list, words) => {
  expect(found(await tried(changed(() => ({ admissible: () => list }))))).toContain(words);
});

test("an answer that does not come ends the dry run, with the action and the place", async () => {
  const stuck = changed(() => ({ step: () => new Promise<never>(() => {}) }));
  expect(found(await tried(stuck, { limitMs: 5 }))).toContain(
    '! hangs: No answer within 0.005 s to "go east", task corridor-train-0, step 1; nothing after it was tried.',
  );
});

test("an episode that goes on after its last step, or breaks off, is a fault", async () => {
  const endless = changed(() => ({ ending: undefined, success: null }));
  expect(found(await tried(endless))).toContain(
    "! hangs: It goes on after its last step, task corridor-train-0, step 4.",
  );
  const broken = await tried(changed(() => ({ step: () => Promise.reject(new Error("boom")) })));
  expect(found(broken)).toContain("! hangs: It broke off: boom (task corridor-train-0, step 1)");
  expect(found(broken)).toContain("! rewards: No episode has a reward.");
});

test("rewards that say nothing, that are no sum of their steps, or that pay for failures", async () => {
  const even = changed((inner) => ({
    get reward() {
      return scored(0);
    },
    step: async (action) => ({ ...(await inner.step(action)), reward: scored(0) }),
  }));
  expect(found(await tried(even))).toEqual(["! rewards: Successes earn 0 on average, and failures 0."]);
  const shy = changed(() => ({ admissible: () => undefined }));
  expect(found(await tried(shy, { demonstrators: {} }))[0]).toBe(
    "- rewards: All 2 episodes earn 0, so nothing shows what a better one earns. Try an answer that should earn more, or give it a demonstrator.",
  );
  const turned = changed((inner) => ({
    get reward() {
      return scored(inner.success === false ? 1 : 0);
    },
  }));
  const words = found(await tried(turned));
  expect(words).toContain(
    "! rewards: The reward of the episode is 0, those of its steps add up to 1, task corridor-train-0, step 2.",
  );
  expect(words).toContain("! rewards: Successes earn 0 on average, and failures 1.");
});
