/** A small store with known content, for tests of what commands print. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { scored, unscored } from "../../packages/base/src/trajectory/score.ts";
import type { Step, Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { madeOnce } from "./made-once.ts";

const task: Task = { id: "mug-1", env: "household", seed: 7, goal: "put a clean mug on the desk", split: "train" };

function step(index: number, observation: string, action: string, rest: Partial<Step> = {}): Step {
  return { index, observation, stateKey: observation, action, valid: true, reward: scored(0), ...rest };
}

/** Three steps, exact tokens, a judge's reward. */
export const kitchen: Trajectory = {
  id: "kitchen-1",
  task,
  group: "mug-1",
  steps: [
    step(0, "You are in the kitchen. You see a mug and a sink.", "take mug", { span: { stream: 0, start: 2, end: 4 } }),
    step(1, "You hold a dirty mug.", "fly to desk", { valid: false, span: { stream: 0, start: 5, end: 8 } }),
    step(2, "Nothing happens.", "clean mug with sink", { reward: scored(0.5), span: { stream: 0, start: 9, end: 11 } }),
  ],
  streams: [
    {
      ids: Int32Array.of(1, 2, 30, 31, 3, 40, 41, 42, 4, 50, 51),
      mask: Uint8Array.of(0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1),
      logprobs: Float32Array.of(0, 0, -0.5, -0.25, 0, -1, -2, -3, 0, -0.125, -0.125),
      versions: Int32Array.of(3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3),
    },
  ],
  ending: "truncated",
  reward: scored(0.5),
  success: false,
  rewards: [
    { name: "tidiness", source: "judge", score: scored(0.25), comment: "left the tap on" },
    { name: "effort", source: "judge", score: unscored("the judge gave no number"), step: 1 },
  ],
  policy: { name: "local", version: 3, model: "tiny" },
  timing: { durationMs: 1500 },
  closing: { observation: "The mug is clean." },
};

/** Leaves at step 1 and does better; a chat with a tool call. */
const branch: Trajectory = {
  id: "kitchen-2",
  task,
  group: "mug-1",
  parent: { trajectory: "kitchen-1", step: 1, token: 1 },
  steps: [
    step(1, "You hold a dirty mug.", "", {
      reward: scored(1),
      messages: [{ role: "tool", content: "You hold a dirty mug.", toolCallId: "call-1" }],
      reply: {
        role: "assistant",
        content: "",
        reasoning: "Clean it first.",
        toolCalls: [{ id: "call-2", name: "clean", arguments: { thing: "mug", with: "sink" } }],
      },
    }),
  ],
  streams: [],
  ending: "terminated",
  reward: scored(1),
  success: true,
  rewards: [],
  policy: { name: "local" },
};

/** Its environment died, and its text wants to be obeyed. */
const hostile: Trajectory = {
  id: "hostile-1",
  task: { ...task, id: "evil-1", goal: "\u001b[2Jwipe \u202ethe screen" },
  group: "evil-1",
  steps: [step(0, "\u001b]0;owned\u0007\u009b31mred", "\u001b[1A\rhidden", { reward: unscored("lost\u001b[5m") })],
  streams: [],
  ending: "failed",
  reward: unscored("the environment was lost"),
  success: null,
  rewards: [],
  policy: { name: "evil\u001b[31m" },
  failure: { code: "env-lost", message: "gone\u001b[0m" },
};

/** A store in a folder of its own; the caller removes it. */
export async function sampleStore(): Promise<{ readonly root: string; readonly remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "limbeck-cli-"));
  await madeOnce("sample store", root, writeSamples);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

async function writeSamples(root: string): Promise<void> {
  const store = openStore(root, { now: () => new Date("2026-03-04T05:06:07Z") });
  const first = await store.createRun({ id: "demo", kind: "rollout", config: { seed: 7 } });
  await first.append(kitchen);
  await first.append(branch);
  await first.close();
  const second = await store.createRun({ id: "evil", kind: "import" });
  await second.append(hostile);
  await second.close();
  await store.close();
}
