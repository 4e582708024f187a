/** `limbeck fleet`: workers, queues, rates and errors. */
import type { Command } from "../command.ts";
import { flag, shared, text, texts } from "../options.ts";

export const fleet: Command = {
  group: "look",
  summary: "Show rollout workers, queues, rates and errors",
  usage: "--redis URL [--watch TIME] [--limit ENV=N…] [--retry]",
  description:
    "Workers say what they do every few seconds; one that fell silent is gone from the list; one that is set aside failed several jobs in a row, and its last error stands below. A parked job was given up after its attempts, and stays until it is tried again (--retry) or a week has passed.\n" +
    "With --watch it goes on, and the same numbers are OpenTelemetry metrics (limbeck.fleet.*) where the process has a provider.",
  options: {
    redis: shared.redis,
    watch: text("TIME", "Show it again and again, at this distance"),
    limit: texts("ENV=N", "Most jobs of a world at once over all workers; none lifts it"),
    retry: flag("Put parked jobs back into their queues"),
    for: text("TIME", "With --watch: end by itself after this time"),
  },
  examples: [
    "limbeck fleet --redis redis://127.0.0.1:6379",
    "limbeck fleet --watch 5s",
    "limbeck fleet --limit shop=8",
    "limbeck fleet --retry --json",
  ],
  jsonFields: {
    workers:
      "name, state, protocol, engine, worlds, active, jobs, episodes, failed, seconds, secondsPerJob and problem of each worker",
    queues: "world, protocol, releases, waiting, active, delayed, parked, perMinute and limit of each queue",
    parked: "world, job, run, task, attempts and error of the newest parked jobs",
    retried: "with --retry: how many were put back",
  },
  natives: ["fleet"],
  run: async (invocation) => (await import("../fleet/show-fleet.ts")).showFleet(invocation),
};
