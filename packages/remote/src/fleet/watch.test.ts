import { expect, test } from "vitest";
import type { WorkerReport } from "./fleet-report.ts";
import { keyedJob, parseJob, type UnkeyedJob } from "./job.ts";
import { createWorlds } from "./play-job.ts";
import { queueName, readQueueName } from "./keys.ts";
import { OWN_LINE, PROTOCOL, releasesOf } from "./protocol.ts";
import { createWatch } from "./roll-out-on-fleet.ts";

const worker = (state: WorkerReport["state"]): WorkerReport => ({
  name: "w",
  key: "",
  state,
  ...OWN_LINE,
  worlds: {},
  active: 0,
  jobs: 0,
  episodes: 0,
  failed: 0,
  seconds: 0,
  secondsPerJob: 0,
  problem: "the disk is full",
});

test("a job whose delay lies far ahead is overdue by the machine's own time, whatever the clock says", () => {
  let now = 0;
  const watch = createWatch({
    everyMs: 1_000_000,
    backOffMs: 4_000,
    workers: () => Promise.resolve([]),
    onNotice: () => undefined,
    now: () => now,
  });
  expect(watch.overdue("a", true)).toBe(false);
  now = 1_003_999;
  expect(watch.overdue("a", true)).toBe(false);
  // The longest back-off, and one look more.
  now = 1_004_001;
  expect(watch.overdue("a", true)).toBe(true);
  // It was taken in between: its time begins anew.
  expect(watch.overdue("a", false)).toBe(false);
  expect(watch.overdue("a", true)).toBe(false);
  watch.close();
});

test("it wakes for what happened, and looks at everything from time to time", async () => {
  const notices: string[] = [];
  let present: WorkerReport[] = [worker("blocked")];
  const watch = createWatch({
    everyMs: 1,
    backOffMs: 1,
    workers: () => Promise.resolve(present),
    onNotice: (message) => notices.push(message),
  });
  watch.touch("a");
  expect((await watch.next(undefined)).touched).toEqual(["a"]);
  while (!(await watch.next(undefined)).all);
  while (notices.length === 0) await watch.next(undefined);
  expect(notices[0]).toBe("Every worker is blocked: the disk is full");
  present = [];
  while (notices.length === 1) await watch.next(undefined);
  expect(notices[1]).toContain("limbeck worker");
  watch.close();
});

const job: UnkeyedJob = {
  run: "r",
  env: { id: "household", options: {} },
  task: { id: "t", env: "household", seed: 1, goal: "", split: "train" },
  strategy: { name: "group", options: { size: 2 } },
  seed: 1,
  prefix: "",
  agent: {
    kind: "model",
    policy: { kind: "files", hash: "0".repeat(64), version: 1, files: {}, sources: [{ kind: "folder", path: "/a" }] },
    speech: { prompts: "append", history: 4, form: "plain", answerTokens: 8, restrict: false },
  },
  peers: 0,
  episode: {},
  attempts: 1,
  concurrency: 1,
  deliver: { to: "caller" },
};

test("equal work has equal keys, wherever the policy's files lie; other work has others", () => {
  const { key } = keyedJob(job);
  const moved = structuredClone(job);
  if (moved.agent.kind === "model" && moved.agent.policy.kind === "files") moved.agent.policy.sources = [];
  expect(keyedJob(moved).key).toBe(key);
  expect(keyedJob({ ...job, seed: 2 }).key).not.toBe(key);
  expect(keyedJob({ ...job, run: "s" }).key).not.toBe(key);
  expect(keyedJob({ ...job, prefix: "2/" }).key).not.toBe(key);
});

test("releases are told apart by the part of a version that changes numbers", () => {
  expect(["0.1.0", "0.1.7", "0.2.0", "1.4.2", "2.0.0-beta.1", "odd"].map(releasesOf)).toEqual(
    "0.1 0.1 0.2 1 2 unknown".split(" "),
  );
  const line = { protocol: 2, engine: "0.1.7" };
  expect(queueName("own/world-2", line)).toBe("rollout-2-0.1-own/world-2");
  const read = { world: "own/world-2", protocol: 2, releases: "0.1" };
  expect(readQueueName("rollout-2-0.1-own/world-2")).toEqual(read);
  expect(readQueueName("rollout-household")).toBeUndefined();
  expect(() => parseJob({ ...keyedJob(job), engine: "9.9.0" })).toThrow(/engine 9\.9\.0.*this worker speaks/);
});

test("a job from another release is refused, and so is a file name that is a path", () => {
  expect(parseJob(keyedJob(job))).toEqual(keyedJob(job));
  expect(() => parseJob({ ...keyedJob(job), protocol: PROTOCOL + 1 })).toThrow(/same release/);
  const files = { "../../etc/passwd": "0".repeat(64) };
  const agent = job.agent.kind === "model" ? { ...job.agent, policy: { ...job.agent.policy, files } } : job.agent;
  expect(() => parseJob({ ...keyedJob(job), agent })).toThrow(/not one that this release understands/);
});

test("a job that would start a program is refused, unless the worker allows it", async () => {
  const env = { id: "tools", options: { server: { command: "rm", args: ["-rf", "/"] } } };
  await expect(createWorlds().of(env)).rejects.toMatchObject({ code: "command-refused" });
  const nested = { id: "household", options: { more: [{ deep: { command: "sh" } }] } };
  await expect(createWorlds().of(nested)).rejects.toMatchObject({ code: "command-refused" });
  // Allowed, it is the world's own business what it makes of it.
  await expect(createWorlds({ allowCommands: true }).of(nested)).rejects.not.toMatchObject({ code: "command-refused" });
});
