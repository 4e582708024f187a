/**
 * A worker of the kill test: `kill-worker.mjs REDIS CACHE LEASE_MS [DEATHS POISON]`. Says a line for each job that it takes,
 * and dies of the task POISON.
 */
import { startWorker } from "../../packages/remote/src/fleet/worker.ts";

const [redis = "", cache = "", leaseMs = "1000", deaths = "50", poison] = process.argv.slice(2);
const worker = await startWorker({
  redis,
  cache,
  // A job that is played beside a poisoned one shares its deaths.
  worlds: { household: poison === undefined ? 2 : 1 },
  leaseMs: Number(leaseMs),
  deaths: Number(deaths),
  onEvent: (event) => {
    if (event.kind === "taken" && event.task === poison) process.kill(process.pid, "SIGKILL");
    if (event.kind === "taken" || event.kind === "done") process.stdout.write(`${event.kind}\n`);
  },
});
process.stdout.write("ready\n");
process.once("SIGTERM", () => {
  void worker.close().then(() => {
    const { jobs, active } = worker.report();
    process.stdout.write(`drained ${jobs} ${active}\n`);
    process.exit(0);
  });
});
