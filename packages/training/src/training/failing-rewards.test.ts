/** Rewards that come from a server which fails, hangs or talks nonsense: the episode is unscored and counted, and the training goes on. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { says, startChatServer, type Answer } from "../../../../test/support/chat-server.ts";
import { createLuckyWorld } from "../../../../test/support/lucky-world.ts";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { collect } from "../../../../test/support/stores.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import type { RewardPlan } from "limbeck-core/reward/plan";
import { openStore } from "limbeck-store/store/open-store";
import { train } from "./train.ts";
import type { TrainEvent } from "./events.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-failing-"));
  await writeTinyModel(join(root, "start"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** What never answers is waited for so long; a busy machine must answer within it. */
const SECONDS = 3;

/** Two updates of two tasks by three. */
async function trained(name: string, reward: RewardPlan, baseUrl: string) {
  const events: TrainEvent[] = [];
  const world = { env: createLuckyWorld(), envName: "lucky" };
  const given = { tasks: 2, group: 3, answerTokens: 4, learningRate: 0.01, "tasks.pool": 2 };
  const place = { model: join(root, "start"), dir: join(root, "runs", name), steps: 2, keep: true };
  const environment = { LIMBECK_CHAT_BASE_URL: baseUrl, LIMBECK_CHAT_MODEL: "judge" };
  const onEvent = (event: TrainEvent): void => void events.push(event);
  await train({ ...smallPlan({ recipe: "grpo", ...world, ...place, given }), reward, environment, onEvent });
  const store = openStore(join(root, "runs"));
  try {
    const stored = await collect(store.trajectories({ run: name }));
    const of = (update: number) => stored.filter(({ info }) => info?.["update"] === update);
    return { updates: events.filter(({ kind }) => kind === "update"), first: of(1), second: of(2) };
  } finally {
    await store.close();
  }
}

type Trained = Awaited<ReturnType<typeof trained>>;

const whys = (episodes: Trained["first"]): string[] =>
  episodes.map(({ reward }) => (reward.kind === "scored" ? "scored" : reward.why)).toSorted();

async function byJudge() {
  const sick: Answer[] = [{ status: 400, body: "no" }, "silent", says("I like it"), says('{"score": NaN}')];
  const server = await startChatServer(...sick, says('{"score": 3}'), says('{"score": 8}'));
  try {
    const judge = {
      use: "rubric-judge",
      seconds: SECONDS,
      options: { samples: 1, concurrency: 1, rubric: [{ name: "score", question: "How good is it?" }] },
    };
    return await trained("judge", { rewards: [judge], reward: "rubric-judge" }, server.baseUrl);
  } finally {
    await server.close();
  }
}

async function byEndpoint() {
  const sick: Answer[] = [{ status: 500 }, "silent", { body: "<html>" }, { body: "[]" }, { body: '["NaN"]' }];
  const server = await startChatServer(...sick, { body: "[0.5]" });
  try {
    const scoreSteps = async (): Promise<number[]> => {
      const answer = await fetch(server.baseUrl, { method: "POST", body: "{}" });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return ((await answer.json()) as unknown[]).map(Number);
    };
    const scoring = { use: "process", seconds: SECONDS, options: { blend: 1, concurrency: 1 }, givens: { scoreSteps } };
    return await trained("endpoint", { rewards: [scoring], reward: "process" }, "http://127.0.0.1:9/v1");
  } finally {
    await server.close();
  }
}

/** Both at once, since each waits for somebody who is silent. */
let both: readonly [Trained, Trained];
beforeAll(async () => void (both = await Promise.all([byJudge(), byEndpoint()])));

test("a judge that fails, hangs, answers nonsense or NaN", () => {
  const [{ updates, first, second }] = both;
  expect(updates).toHaveLength(2);
  expect(whys(first).filter((why) => why === "scored")).toHaveLength(2);
  expect(whys(first).join("\n")).toMatch(/400[\s\S]*did not answer within 3 seconds/);
  expect(updates[0]).toMatchObject({ metrics: { "reward/rubric-judge/unscored": 4 / 6 } });
  // Well again: everything is scored.
  expect(whys(second)).toEqual(Array.from({ length: 6 }, () => "scored"));
});

test("an endpoint of scores that fails, hangs, answers nonsense, too few or NaN", () => {
  const [, { updates, first, second }] = both;
  expect(updates).toHaveLength(2);
  expect(updates[0]).toMatchObject({ metrics: { "reward/process/unscored": 5 / 6 } });
  const said = whys(first).join("\n");
  for (const part of [
    "status 500",
    "did not answer within 3 seconds",
    "not valid JSON",
    "0 scores for 1 steps",
    "NaN for step 0",
  ])
    expect(said).toContain(part);
  expect(whys(second)).toEqual(Array.from({ length: 6 }, () => "scored"));
});
