/**
 * A worker of `test/soak-fleet.ts`: `fleet-soak-worker.mjs REDIS CACHE KIND WAIT_MS`. Its agent waits at each step, as a model behind a server
 * would. KIND is good, version (of another release), key (has none), hang (stands still for good once it has taken a job).
 */
import { setTimeout as wait } from "node:timers/promises";
import { getWorld } from "../../packages/worlds/src/index.ts";
import { startWorker, type WorkerOptions } from "../../packages/remote/src/fleet/worker.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import type { Agent } from "../../packages/core/src/walk/mind/agent.ts";
import { SCRIPT } from "./fleet.ts";

type Agents = NonNullable<WorkerOptions["agents"]>;
const PLACES = 4;
const LEASE_MS = 5_000;
const [redis = "", cache = "", kind = "good", waitMs = "100"] = process.argv.slice(2);

async function waiting(): Promise<Agents> {
  const demonstrator = (await getWorld("household")).demonstrators?.[SCRIPT];
  if (demonstrator === undefined) throw new Error(`household has no ${SCRIPT}`);
  const scripted = createDemonstratorAgent(demonstrator);
  const agent: Agent = {
    ...scripted,
    // Who has no words is not asked to speak, and would not wait.
    answerTokens: 1,
    begin: (task, seed) => ({
      ...scripted.begin(task, seed),
      read: () => undefined,
      speak: async () => {
        await wait(Number(waitMs));
        return { tokens: 0, modelCalls: 1, ended: true, full: false };
      },
      decide: () => ({ action: "look", readable: true }),
    }),
  };
  const leased = { agent, release: () => undefined };
  return {
    lease: () =>
      kind === "key" ? Promise.reject(new Error("The worker has no key for the model.")) : Promise.resolve(leased),
    close: () => Promise.resolve(),
  };
}

await startWorker({
  redis,
  cache,
  worlds: { household: PLACES },
  leaseMs: LEASE_MS,
  deaths: 50,
  agents: await waiting(),
  ...(kind === "version" ? { engine: "9.9.0" } : {}),
  onEvent: (event) => {
    process.stdout.write(`${event.kind}\n`);
    // The whole process stands still, its heartbeat too.
    if (kind === "hang" && event.kind === "taken") process.kill(process.pid, "SIGSTOP");
  },
});
process.stdout.write("ready\n");
