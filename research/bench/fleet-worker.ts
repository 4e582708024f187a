/** A process of `fleet/scaling` with some workers: `fleet-worker.ts REDIS COUNT`. Says what they did when its input ends. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { getWorld } from "../../packages/worlds/src/index.ts";
import { startWorker, type WorkerOptions } from "../../packages/remote/src/fleet/worker.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import type { Agent } from "../../packages/core/src/walk/mind/agent.ts";

const WAIT_MS = 50;

type Agents = NonNullable<WorkerOptions["agents"]>;

/** An agent that thinks for 50 ms, as a model behind a server would, and looks around: the world's work is small. */
async function waiting(): Promise<Agents> {
  const demonstrator = (await getWorld("household")).demonstrators?.["wanderer"];
  if (demonstrator === undefined) throw new Error("household has no wanderer");
  const scripted = createDemonstratorAgent(demonstrator);
  const agent: Agent = {
    ...scripted,
    // Who has no words is not asked to speak, and would not wait.
    answerTokens: 1,
    begin: (task, seed) => ({
      ...scripted.begin(task, seed),
      read: () => undefined,
      speak: async () => {
        await wait(WAIT_MS);
        return { tokens: 0, modelCalls: 1, ended: true, full: false };
      },
      decide: () => ({ action: "look", readable: true }),
    }),
  };
  const leased = { agent, release: () => undefined };
  return { lease: () => Promise.resolve(leased), close: () => Promise.resolve() };
}

const [redis = "", count = "1"] = process.argv.slice(2);
const agents = await waiting();
let [busyMs, steps] = [0, 0];
const workers = await Promise.all(
  Array.from({ length: Number(count) }, () =>
    startWorker({
      redis,
      cache: join(tmpdir(), "limbeck-bench-policies"),
      worlds: { household: 1 },
      agents,
      onEvent: (event) => {
        if (event.kind !== "done") return;
        busyMs += event.ms;
        steps += event.summary.steps;
      },
    }),
  ),
);
process.stdout.write("ready\n");
process.stdin.resume();
process.stdin.once("end", () => {
  void Promise.all(workers.map((worker) => worker.close())).then(() => {
    process.stdout.write(`${JSON.stringify({ overheadMs: busyMs - steps * WAIT_MS })}\n`);
    process.exit(0);
  });
});
