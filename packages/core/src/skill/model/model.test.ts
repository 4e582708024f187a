import { afterEach, expect, test } from "vitest";
import { says, startChatServer, type Answer, type ChatServerDouble } from "../../../../../test/support/chat-server.ts";
import { sampleTrajectory } from "../../../../../test/support/samples.ts";
import { errorCode } from "limbeck-base/base/errors";
import { openChatModel, type ChatModelOptions } from "limbeck-policy/policy/chat/chat-model";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Analysis } from "../skill.ts";
import { createModelAnalyst, type ModelAnalystOptions } from "./model.ts";

const opened: ChatServerDouble[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** A real server and a real client; waits between retries pass at once, time limits when `fire` is called. */
async function start(answers: readonly Answer[], chat: ChatModelOptions = {}, more: Partial<ModelAnalystOptions> = {}) {
  const server = await startChatServer(...answers);
  opened.push(server);
  const limits: (() => void)[] = [];
  const clock = {
    now: () => 0,
    delay: (milliseconds: number, signal?: AbortSignal) =>
      milliseconds !== 120_000
        ? Promise.resolve()
        : new Promise<void>((resolve, reject) => {
            limits.push(resolve);
            signal?.addEventListener("abort", () => reject(new Error("over")), { once: true });
          }),
  };
  const model = openChatModel({ baseUrl: server.baseUrl, model: "m" }, { clock, ...chat });
  const analyst = createModelAnalyst({ chat: model, ...more });
  const analyse = (group: readonly Trajectory[] = [sampleTrajectory("a")], signal?: AbortSignal) =>
    analyst.analyse(group, { maxStepSkills: 2, ...(signal === undefined ? {} : { signal }) });
  return { server, model, analyse, fire: () => limits.at(-1)?.() };
}

const GOOD = '{"episode_summary":"s","episode_skill":"e","step_skills":{"2":"b","0":"a"}}';
const bodyOf = (server: ChatServerDouble, at: number): string => JSON.stringify(server.requests[at]?.body);
const texts = ({ stepSkills }: Analysis) => [...stepSkills].map(([step, { text }]) => [step, text]);

test("one call per trajectory, skills in the order written, with evidence and usage", async () => {
  const { analyse, server } = await start([says(GOOD)]);
  const [analysis] = await analyse();
  expect(analysis).toMatchObject({
    trajectory: "a",
    outcome: "success",
    episodeSummary: "s",
    episodeSkill: { level: "episode", text: "e", evidence: [{ trajectory: "a", steps: [0, 1, 2] }] },
    usage: { promptTokens: 10, completionTokens: 4, modelCalls: 1 },
  });
  expect(analysis?.error).toBeUndefined();
  expect(texts(analysis as Analysis)).toEqual([
    [2, "b"],
    [0, "a"],
  ]);
  expect(analysis?.stepSkills.get(2)?.evidence).toEqual([{ trajectory: "a", steps: [2] }]);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["prose around JSON", `Of course!\n\`\`\`json\n${GOOD}\n\`\`\`\nDone.`, 2],
  ["no step skills", '{"episode_skill":"e","step_skills":{}}', 0],
  ["wrong types", '{"episode_summary":[1],"episode_skill":5,"step_skills":"none"}', 0],
  [
    "forty step skills",
    `{"episode_skill":"e","step_skills":{${Array.from({ length: 40 }, (_, at) => `"${at}":"s"`).join(",")}}}`,
    2,
  ],
])("an endpoint that sends %s", async (_, answer, count) => {
  const { analyse } = await start([says(answer)]);
  const [analysis] = await analyse();
  expect(analysis?.episodeSkill).toBeDefined();
  expect(analysis?.stepSkills.size).toBe(count);
});

test("an unreadable answer is asked for once more, with what was wrong", async () => {
  const { analyse, server } = await start([says("I would rather not."), says(GOOD)]);
  const [analysis] = await analyse();
  expect(analysis?.episodeSkill?.text).toBe("e");
  expect(analysis?.usage).toEqual({ promptTokens: 20, completionTokens: 8, modelCalls: 2 });
  expect(bodyOf(server, 1)).toContain("I would rather not.");
  expect(bodyOf(server, 1)).toContain("no JSON object");
  expect(bodyOf(server, 1)).toContain("Candidate steps");
});

test("two unreadable answers are an analysis with an error", async () => {
  const { analyse, server } = await start([says("no"), says('{"episode_skill":" "}'), says(GOOD)]);
  const [analysis] = await analyse();
  expect(analysis?.error?.code).toBe("analysis-no-skill");
  expect(analysis?.episodeSkill).toBeUndefined();
  expect(analysis?.stepSkills.size).toBe(0);
  expect(server.requests).toHaveLength(2);
});

test.each<[string, Answer[], RegExp]>([
  ["rate-limits and fails before it answers", [{ status: 429 }, { status: 500 }, { status: 503 }, says(GOOD)], /^ok$/],
  ["always fails", [{ status: 500 }], /^chat-failed$/],
  ["refuses", [{ status: 401, body: "no key" }], /^chat-refused$/],
  [
    "streams garbage",
    [{ headers: { "content-type": "text/event-stream" }, body: "data: {]\n\nnoise\n\n" }],
    /^(?!ok$)/,
  ],
  ["sends something else", [{ body: "<html>busy</html>" }], /^(?!ok$)/],
])("an endpoint that %s never stops the analysis", async (_, answers, expected) => {
  const { analyse } = await start(answers, { retry: { retries: 4 } });
  const analyses = await analyse([sampleTrajectory("a")]);
  expect(analyses).toHaveLength(1);
  const code = analyses[0]?.error?.code ?? "ok";
  expect(code).toMatch(expected);
});

test("a slow endpoint is given up when its time is over", async () => {
  const { analyse, server, fire } = await start(["silent"], { retry: { retries: 0 } });
  const work = analyse();
  await server.arrived(1);
  fire();
  const [analysis] = await work;
  expect(analysis?.error?.code).toBe("chat-failed");
});

test("one failure among many costs one analysis", async () => {
  const group = ["a", "b", "c", "d"].map((id) =>
    sampleTrajectory(id, { task: { ...sampleTrajectory(id).task, goal: `goal-${id}` } }),
  );
  const answer: Answer = ({ body }) => (JSON.stringify(body).includes("goal-c") ? { status: 400 } : says(GOOD));
  const { analyse } = await start([answer], {}, { concurrency: 3 });
  const analyses = await analyse(group);
  expect(analyses.map(({ trajectory }) => trajectory)).toEqual(["a", "b", "c", "d"]);
  expect(analyses.map(({ error }) => error !== undefined)).toEqual([false, false, true, false]);
});

test("a budget that runs out degrades the rest", async () => {
  const group = ["a", "b", "c"].map((id) => sampleTrajectory(id, { task: { ...sampleTrajectory(id).task, goal: id } }));
  const { analyse } = await start([says(GOOD)], { budget: { calls: 1 } }, { concurrency: 1 });
  const analyses = await analyse(group);
  expect(analyses.map(({ error }) => error === undefined)).toEqual([true, false, false]);
});

test("only selected trajectories are paid for, and a cache answers the rest", async () => {
  const { analyse, model, server } = await start([says(GOOD)], { cache: true });
  await analyse();
  const [again] = await analyse();
  expect(again?.episodeSkill?.text).toBe("e");
  expect(server.requests).toHaveLength(1);
  const analyst = createModelAnalyst({ chat: model });
  expect(await analyst.analyse([sampleTrajectory("z")], { maxStepSkills: 1, select: () => false })).toEqual([]);
});

test("cancelling rejects", async () => {
  const { analyse, server } = await start(["silent"]);
  const stop = new AbortController();
  const work = analyse([sampleTrajectory("a")], stop.signal).then(
    () => "resolved",
    (error: unknown) => errorCode(error),
  );
  await server.arrived(1);
  stop.abort();
  expect(await work).toBe("cancelled");
});
