/** Servers that misbehave, on real sockets: what a client must notice, and never take for a reward of 0. */
import { once } from "node:events";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { rudeWorld, say, show, type RudeOptions } from "../../../../test/support/rude-world.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Episode } from "limbeck-core/env/env";
import { createOpenEnv, type OpenEnvOptions } from "./client.ts";

const TASK: Task = { id: "t", env: "openenv", seed: 3, goal: "", split: "train" };

/** An episode whose opening is proper and whose steps are answered by `step`. */
async function opened(step: (socket: WebSocket) => void, options: Partial<OpenEnvOptions> = {}): Promise<Episode> {
  const answer: RudeOptions["answer"] = (socket, { type }) => {
    if (type === "reset") show(socket, { text: "Hello." });
    else step(socket);
  };
  const env = await createOpenEnv({ url: await rudeWorld({ answer }), attempts: 1, ...options });
  return await env.open(TASK);
}

const LOST: Readonly<Record<string, readonly [code: string, step: (socket: WebSocket) => void]>> = {
  "a cut connection": ["server-lost", (socket) => socket.terminate()],
  "a polite close": ["server-lost", (socket) => socket.close(1000)],
  "text that is not JSON": ["server-nonsense", (socket) => socket.send("{nonsense")],
  "a message of no known type": ["server-nonsense", (socket) => say(socket, "applause", {})],
  "an observation that is none": ["server-nonsense", (socket) => show(socket, "plain text")],
  "a reward that is a word": ["server-nonsense", (socket) => show(socket, { text: "" }, "much")],
  "a binary frame": ["server-nonsense", (socket) => socket.send(Buffer.from('{"type": "state", "data": {}}'))],
  "another answer than was asked for": ["server-nonsense", (socket) => say(socket, "state", { step_count: 1 })],
  "a world that failed": [
    "server-lost",
    (socket) => say(socket, "error", { code: "EXECUTION_ERROR", message: "Fire." }),
  ],
  "a session that broke": ["server-lost", (socket) => say(socket, "error", { code: "SESSION_ERROR", message: "" })],
  "hundred thousand brackets": [
    "server-nonsense",
    (socket) => socket.send(`{"type":"observation","data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
  ],
};

test.each(Object.entries(LOST))("%s is a lost world", async (_, [code, step]) => {
  const episode = await opened(step);
  const result = await episode.step("hi");
  expect(result).toMatchObject({ ending: "failed", valid: false, success: null, reward: { kind: "unscored" } });
  expect(episode.failure?.code).toBe(code);
  await expect(episode.step("hi")).rejects.toMatchObject({ code: "episode-ended" });
  await episode.close();
});

test("a server that never answers is left after the time limit", async () => {
  const episode = await opened(() => undefined, { timeoutMs: 30 });
  expect((await episode.step("hi")).ending).toBe("failed");
  expect(episode.failure).toMatchObject({ code: "timeout", message: expect.stringContaining("30 ms") });
});

test("an answer nobody asked for ends the connection before it can be taken for another", async () => {
  let ended: Promise<unknown> | undefined;
  const episode = await opened((socket) => {
    ended = once(socket, "close");
    show(socket, { text: "one" }, 1);
    show(socket, { text: "two" }, 2);
  });
  expect(await episode.step("hi")).toMatchObject({ observation: "one", reward: scored(1) });
  await ended;
  expect((await episode.step("again")).ending).toBe("failed");
});

test("a cancelled step rejects, and what the server did with it is not guessed", async () => {
  const stopping = new AbortController();
  const episode = await opened(() => stopping.abort());
  await expect(episode.step("hi", { signal: stopping.signal })).rejects.toMatchObject({ code: "cancelled" });
  expect(episode.ending).toBe("failed");
});

test("opening can be cancelled while a full server is waited for", async () => {
  const stopping = new AbortController();
  const url = await rudeWorld({
    onConnection: (socket) => {
      say(socket, "error", { code: "CAPACITY_REACHED", message: "Full.", active_sessions: 1, max_sessions: 1 });
      socket.close(1000);
      stopping.abort();
    },
  });
  const env = await createOpenEnv({ url, attempts: 50, delayMs: 60_000 });
  await expect(env.open(TASK, { signal: stopping.signal })).rejects.toMatchObject({ code: "cancelled" });
});

test("a refused action is an observation, and changes nothing but the clock", async () => {
  let place = 0;
  const episode = await opened((socket) => {
    place += 1;
    if (place > 1) return show(socket, { text: "Well." }, true, true);
    say(socket, "error", {
      code: "VALIDATION_ERROR",
      message: "Invalid message",
      errors: [{ loc: ["message"], msg: "too\u001b[2J short", input: "hi" }],
    });
  });
  const before = episode.stateKey;
  expect(await episode.step("hi")).toEqual({
    observation: "The action was refused. message: too\uFFFD[2J short",
    reward: scored(0),
    valid: false,
    ending: undefined,
    success: null,
  });
  expect(episode.stateKey).toBe(before);
  expect(await episode.step("hello")).toMatchObject({ ending: "terminated", reward: scored(1), valid: true });
});

test("control characters of a server reach nobody, and long texts are cut", async () => {
  const episode = await opened((socket) => show(socket, { text: `\u001b]0;x\u0007${"a".repeat(300_000)}` }));
  const { observation } = await episode.step("hi");
  expect(observation.startsWith("\uFFFD]0;x\uFFFDaaa")).toBe(true);
  expect(observation).toHaveLength(200_000 + " [cut]".length);
  await episode.close();
});

test("the limit of steps cuts off, and a threshold decides about success", async () => {
  const cut = await opened((socket) => show(socket, { text: "on" }, 0.5), { maxSteps: 2, successAt: 1 });
  expect((await cut.step("a")).ending).toBeUndefined();
  expect(await cut.step("b")).toMatchObject({ ending: "truncated", success: true });
  await expect(cut.step("c")).rejects.toMatchObject({ code: "episode-ended" });
  const done = await opened((socket) => show(socket, { text: "over" }, 0.5, true), { successAt: 1 });
  expect(await done.step("a")).toMatchObject({ ending: "terminated", success: false });
});

test("fields of the observation are chosen by name, and a missing one is told with those there are", async () => {
  const seen = { board: "x..", legal_actions: [0, 2, 2] };
  const answer: RudeOptions["answer"] = (socket) => show(socket, seen);
  const url = await rudeWorld({ answer });
  const env = await createOpenEnv({ url, text: "board", admissible: "legal_actions" });
  const episode = await env.open(TASK);
  expect([episode.observation, episode.admissible()]).toEqual(["x..", ["0", "2"]]);
  await episode.close();
  const whole = await (await createOpenEnv({ url })).open(TASK);
  expect(whole.observation).toBe(JSON.stringify(seen));
  await whole.close();
  await expect((await createOpenEnv({ url, text: "bord" })).open(TASK)).rejects.toThrow(/"bord".*board, legal_actions/);
});

test("seeds differ between splits, and reset carries seed, id and more", async () => {
  const sent: unknown[] = [];
  const url = await rudeWorld({
    answer: (socket, { data }) => {
      sent.push(data);
      show(socket, { text: "" });
    },
  });
  const env = await createOpenEnv({ url, tasks: 5, reset: { level: "hard" } });
  const [task] = [...(env.tasks("valid", { offset: 2, count: 9 }) as Iterable<Task>)];
  expect(task).toMatchObject({ id: "rude-world-valid-2", seed: 1_000_000_002, goal: "Say something." });
  await (await env.open(task!)).close();
  expect(sent).toEqual([{ level: "hard", seed: 1_000_000_002, episode_id: "rude-world-valid-2" }]);
});

test("something else at the address is told as such", async () => {
  const html = await rudeWorld({ routes: { "/metadata": "<html>" } });
  await expect(createOpenEnv({ url: html })).rejects.toThrow(/not JSON/);
  const empty = await rudeWorld({ routes: { "/schema": "{}" } });
  await expect(createOpenEnv({ url: empty })).rejects.toMatchObject({ code: "server-nonsense" });
  const ended = await rudeWorld({ answer: (socket) => show(socket, { text: "" }, null, true) });
  await expect((await createOpenEnv({ url: ended })).open(TASK)).rejects.toThrow(/had ended when it began/);
});
