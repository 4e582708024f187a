import { join } from "node:path";
import { expect, test } from "vitest";
import { smallPlan, evenTokens } from "../../../../test/support/small-training.ts";
import { collect } from "../../../../test/support/stores.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Env, Episode } from "limbeck-core/env/env";
import { wrapEnv, wrapEpisode } from "limbeck-core/env/wrap";
import { evaluate } from "../../../limbeck/src/run/evaluate.ts";
import { rollout } from "../../../limbeck/src/run/rollout.ts";
import { search } from "../../../limbeck/src/run/search.ts";
import { openStore } from "limbeck-store/store/open-store";
import { tally } from "limbeck-base/trajectory/tally";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { train } from "./train.ts";
import type { TrainEvent } from "./events.ts";

const newFolder = temporaryFolders();

/** A corridor whose observations are long for some tasks. The tiny model reads 160 tokens. */
function wordy(isLong: (task: Task, depth: number) => boolean): Env {
  const corridor = createCorridor({ rooms: 2, maxSteps: 2 });
  const long = (inner: Episode, before: number): Episode => {
    let depth = before;
    return wrapEpisode(inner, {
      get observation() {
        return isLong(inner.task, depth) ? "east ".repeat(400) : inner.observation;
      },
      step: async (action, options) => {
        const result = await inner.step(action, options);
        depth += 1;
        return isLong(inner.task, depth) ? { ...result, observation: "east ".repeat(400) } : result;
      },
      fork: async () => long(await inner.fork(), depth),
    });
  };
  return wrapEnv(corridor, (inner) => long(inner, 0));
}

async function trained(env: Env, steps = 2) {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const events: TrainEvent[] = [];
  const plan = smallPlan({
    recipe: "grpo",
    env,
    envName: "corridor",
    model,
    dir: join(root, "runs", "one"),
    steps,
    keep: true,
    report: { tasks: 8, split: "train" },
    // Rewards of the policy's words, also of those that had no room: they must not count.
    rewardAll: evenTokens,
    given: { tasks: 8, group: 2, answerTokens: 4, learningRate: 0.01 },
  });
  const { strategy: _strategy, ...options } = plan;
  const end = await train({ ...options, onEvent: (event) => events.push(event) });
  const store = openStore(join(root, "runs"));
  const stored = (await collect(store.trajectories({ run: "one" }))).filter(({ info }) => info?.["phase"] === "train");
  const { rows } = await store.query("select data from events where kind = 'credit' or kind = 'credit-group'", {
    run: "one",
  });
  await store.close();
  return { end, events, stored, credited: rows.map(([data]) => String(data)).join() };
}

const odd = (task: Task): boolean => task.seed % 4 === 1;

test("a world whose prompts do not fit is refused, with the numbers and the ways out", async () => {
  const env = wordy(() => true);
  const message =
    /of \d+ episodes 0 were seen, \d+ lost: stopped: context \d+\. The first: stopped: context\. The conversation holds \d+ tokens; the model's context is 160.*longer context.*--prompts.*cut its observations/;
  await expect(trained(env)).rejects.toMatchObject({ code: "episodes-lost", message: expect.stringMatching(message) });
});

test("episodes without room are counted apart from the first on, stored as neither, and nothing is learned from them", async () => {
  const { events, stored, credited } = await trained(wordy(odd));
  const lost = stored.filter(({ info }) => info?.["stopped"] === "context");
  expect(lost).toHaveLength(8);
  for (const { success, reward, task } of lost) {
    expect([success, reward.kind, odd(task)]).toEqual([null, "unscored", true]);
    expect(reward).toMatchObject({ why: expect.stringMatching(/the model's context is 160/) });
  }
  for (const { id } of lost) expect(credited).not.toContain(`"${id}"`);
  const updates = events.filter((event) => event.kind === "update");
  expect(updates.map(({ metrics }) => metrics["episodes/context"])).toEqual([4, 4]);
  const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
  expect(
    notices.filter((text) => /Of 16 episodes 4 lost: stopped: context 4\. The first: .*160/.test(text)),
  ).toHaveLength(2);
  const measured = events.flatMap((event) =>
    event.kind === "before" || event.kind === "after" ? [event.evaluation] : [],
  );
  expect(measured.map(({ causes }) => causes)).toEqual([{ "stopped: context": 2 }, { "stopped: context": 2 }]);
});

test("one that runs out late is no failure either; a rollout and an evaluation say so", async () => {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const env = wordy((task, depth) => odd(task) && depth >= 1);
  const given = { env, policy: model, split: "train", tasks: 8, answerTokens: 4 };
  const { trajectories, failed } = await rollout({ ...given, group: 1 });
  const late = trajectories.filter(({ info }) => info?.["stopped"] === "context");
  expect(late.map(({ success, steps }) => [success, steps.length === 1])).toEqual([
    [null, true],
    [null, true],
  ]);
  expect(failed).toBe(2);
  const evaluation = await evaluate(given);
  expect(evaluation).toMatchObject({ tasks: 8, failed: 2, causes: { "stopped: context": 2 } });
});

test.each([
  ["best-of-n", { n: 2 }],
  ["mcts", { iterations: 4, stop: false }],
])(
  "a search by %s counts them so too, where the prompt does not fit and where a line runs out",
  async (method, searchOptions) => {
    const model = join(await newFolder(), "start");
    await writeTinyModel(model);
    for (const from of [0, 1]) {
      const env = wordy((_, depth) => depth >= from);
      const given = { env, policy: model, split: "train", tasks: 2, answerTokens: 4, search: method, searchOptions };
      const { outcomes } = await search(given);
      const counts = tally(outcomes.map(({ episode }) => episode));
      expect([from, counts.seen, counts.causes]).toEqual([from, 0, { "stopped: context": 2 }]);
      expect(counts.first).toMatch(/stopped: context\. .*160/);
    }
  },
);
