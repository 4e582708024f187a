/**
 * `npm run soak:fleet [-- --episodes 1000 --wait-ms 100]`: the same episodes twice. First on four good workers; then on those four beside one of
 * another release, one without a key, one that hangs and one that is killed every 5 seconds, with Redis killed and started anew
 * twice, which makes it forget everything. Prints both times and what was stored; exits with 1 when an episode is lost, doubled or
 * other than in the first round, or when the second took more than twice as long.
 */
import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ourSources } from "../scripts/package/our-sources.ts";
import { withWorlds } from "../scripts/package/with-worlds.ts";
import { rollOutOnFleet } from "../packages/remote/src/fleet/roll-out-on-fleet.ts";
import { openStore } from "../packages/store/src/store/open-store.ts";
import { householdTasks, outcomes, requestOf } from "./support/fleet.ts";
import { startChild } from "./support/kill-children.ts";
import { startRedis } from "./support/redis.ts";

const { values } = parseArgs({
  options: { episodes: { type: "string", default: "1000" }, "wait-ms": { type: "string", default: "100" } },
});
const GROUP = 4;
const GOOD = 4;
const KILL_EVERY_MS = 5_000;
/** Of the episodes that are done when Redis is restarted. */
const RESTARTS = [0.25, 0.6];
const STEPS = 10;
const wanted = Number(values.episodes);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

// Inside the repository, so that the program finds its packages.
const cacheOfBuilds = join(import.meta.dirname, "..", "node_modules", ".cache");
await mkdir(cacheOfBuilds, { recursive: true });
const builds = await mkdtemp(join(cacheOfBuilds, "limbeck-soak-"));
const program = join(builds, "worker.mjs");
await build({
  entryPoints: [join(import.meta.dirname, "support", "fleet-soak-worker.ts")],
  outfile: program,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  plugins: [ourSources, withWorlds],
  logLevel: "silent",
});
const tasks = await householdTasks(wanted / GROUP);

interface Round {
  readonly seconds: number;
  readonly stored: number;
  readonly outcomes: readonly string[];
  readonly givenUp: number;
  readonly kills: number;
  readonly restarts: number;
  readonly said: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

async function round(kinds: readonly string[]): Promise<Round> {
  const [root, cache] = [await mkdtemp(join(tmpdir(), "limbeck-fleet-soak-")), join(builds, "policies")];
  const redis = await startRedis();
  const children = new Set<ChildProcess>();
  const said: Record<string, Record<string, number>> = {};
  let [kills, restarts] = [0, 0];
  const over = new AbortController();
  const start = (kind: string): ChildProcess => {
    const words = kind === "killed" ? "good" : kind;
    const child = startChild(program, [redis.url, cache, words, values["wait-ms"]]);
    children.add(child.process);
    const counts = (said[kind] ??= {});
    child.lines.on("line", (line) => (counts[line] = (counts[line] ?? 0) + 1));
    void child.ended.then(() => children.delete(child.process));
    return child.process;
  };
  const killing = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const before = said["killed"]?.["ready"] ?? 0;
      const child = start("killed");
      // Counted from when it is there: on a busy machine it would otherwise die before it takes a job.
      while (!over.signal.aborted && (said["killed"]?.["ready"] ?? 0) === before) await wait(50);
      await wait(KILL_EVERY_MS);
      if (over.signal.aborted) return;
      child.kill("SIGKILL");
      kills += 1;
    }
  };
  for (const kind of kinds) if (kind !== "killed") start(kind);
  const killed = kinds.includes("killed") ? killing() : Promise.resolve();
  // Both rounds begin when all good workers are there.
  while ((said["good"]?.["ready"] ?? 0) < GOOD) await wait(50);
  const store = openStore(root);
  const run = (await store.createRun({ kind: "rollout" })).run;
  const begun = performance.now();
  const result = await rollOutOnFleet({
    ...requestOf(redis.url, run, tasks, GROUP),
    episode: { steps: STEPS },
    deliver: { to: "store", root },
    lookMs: 1_000,
    backOffMs: 500,
    onNotice: say,
    onProgress: ({ episodes }) => {
      const due = RESTARTS[restarts];
      if (!kinds.includes("killed") || due === undefined || episodes < due * wanted) return;
      restarts += 1;
      void redis.kill().then(() => redis.start());
    },
  });
  const seconds = (performance.now() - begun) / 1_000;
  over.abort();
  for (const child of children) child.kill("SIGKILL");
  await killed;

  const episodes = [];
  for await (const trajectory of store.trajectories({ run })) episodes.push(trajectory);

  await store.close();
  await redis.close();
  await rm(root, { recursive: true, force: true });
  return {
    seconds,
    stored: episodes.length,
    outcomes: outcomes(episodes).sort(),
    givenUp: result.givenUp.length,
    kills,
    restarts,
    said,
  };
}

const good = Array.from({ length: GOOD }, () => "good");
const quiet = await round(good);
say(`4 good workers: ${quiet.stored} episodes in ${quiet.seconds.toFixed(1)} s`);
const troubled = await round([...good, "version", "key", "hang", "killed"]);
await rm(builds, { recursive: true, force: true });
const ratio = troubled.seconds / quiet.seconds;
const same = quiet.outcomes.join("\n") === troubled.outcomes.join("\n");
const verdict = {
  holds: troubled.stored === wanted && same && troubled.givenUp === 0 && ratio <= 2,
  wanted,
  stored: troubled.stored,
  once: new Set(troubled.outcomes).size === wanted,
  same,
  givenUp: troubled.givenUp,
  quietSeconds: quiet.seconds,
  troubledSeconds: troubled.seconds,
  ratio,
  kills: troubled.kills,
  redisRestarts: troubled.restarts,
  said: troubled.said,
  load: loadavg()[0],
};
process.stdout.write(`${JSON.stringify(verdict, null, 2)}\n`);
process.exit(verdict.holds ? 0 : 1);
