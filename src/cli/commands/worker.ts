/** `limbeck worker`: plays rollouts from a queue, on any machine. */
import type { Command } from "../command.ts";
import { accessOptions, forOption } from "../listening.ts";
import { flag, shared, text, texts } from "../options.ts";

export const worker: Command = {
  group: "learn",
  summary: "Run rollouts from a queue, on any number of machines",
  usage: "--redis URL [--env ID[=N]…] [--store DIR] [--threads N]",
  description:
    "Takes jobs of limbeck rollout --fleet and limbeck train --fleet, plays them and delivers the episodes: into the store of who asks, whose folder it must see (--store gives its own path to it), or back through Redis. Versions of policies are fetched once and kept by content.\n" +
    "It may be killed at any moment: its jobs go to other workers, and nothing is stored twice. On SIGTERM and Ctrl-C it takes no more jobs and finishes those it has; a second signal ends it at once. A worker that cannot write gives its jobs back and waits; one that fails several jobs in a row is set aside, and tries one from time to time. It takes jobs of its own protocol and releases only.\n" +
    "The address may stand in LIMBECK_REDIS, so that no list of processes shows its password. Chat models and trainers are reached with the variables of the worker. docs/fleet.md tells the rest.",
  options: {
    redis: shared.redis,
    env: texts("ID[=N]", "A world it serves, and how many jobs of it at once. Default: every world, one each"),
    rewards: text("N", "Also give rewards of trainings with --fleet-rewards, so many jobs at once. Default: none"),
    cache: text("DIR", "Folder for versions of policies. Default: in the temporary folder"),
    name: text("NAME", "Its name in limbeck fleet. Default: made from the machine"),
    lease: text("TIME", "Silence after which its jobs go to others. Default: 30s"),
    deaths: text("N", "A job that more workers died of is parked. Default: 5"),
    failures: text("N", "Set aside after so many different jobs failed in a row. Default: 3"),
    "allow-commands": flag("Let jobs name programs for a world to start; only where all who write to this Redis may"),
    metrics: text("HOST:PORT", "Serve /healthz, /readyz and /metrics there. Default: nowhere"),
    ...accessOptions,
    threads: shared.threads,
    for: forOption,
  },
  examples: [
    "limbeck worker --redis redis://127.0.0.1:6379",
    "limbeck worker --redis redis://10.0.0.5:6379 --env household=4 --threads 1 --store /mnt/lake",
    "LIMBECK_REDIS=rediss://:…@queue:6380 limbeck worker --env countdown=32",
  ],
  jsonFields: {
    event: "ready, taken, done, failed, blocked, set-aside, problem, connection or stopped",
    name: "ready, stopped: the worker",
    protocol: "ready: the protocol whose jobs it takes",
    engine: "ready: its release",
    worlds: "ready: jobs at once, by world",
    metrics: "ready: the address of its numbers, with --metrics",
    job: "taken, done, failed: the job",
    task: "taken, done, failed: its task",
    attempt: "taken: counts from 1",
    summary: "done: episodes, how many succeeded and failed, steps and tokens",
    ms: "done: time taken",
    code: "failed: code of the error",
    message: "failed, blocked, set-aside, problem: what went wrong and what to do",
    waitMs: "blocked, set-aside: how long it takes no jobs",
    connected: "connection: whether Redis is there",
    jobs: "stopped: jobs done",
    episodes: "stopped: episodes played",
    failed: "stopped: attempts that failed",
  },
  natives: ["onnxruntime", "fleet"],
  run: async (invocation) => (await import("../fleet/run-worker.ts")).runWorker(invocation),
};
