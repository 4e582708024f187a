/**
 * `npm run soak:training [-- --updates 80 --wait-ms 4000 --kill-every 180 --out FOLDER --program packages/limbeck/dist/cli/bin.js]`: two trainings with the same
 * settings side by side in a slow world. One is left alone. The other is killed with SIGKILL again and again, at moments drawn around
 * --kill-every seconds, and goes on with --resume. In the end parameters, state of the optimiser, episodes and metrics are compared.
 * FOLDER/progress.json says how far it is, FOLDER/verdict.json how it ended; exits with 1 when anything differs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { compareRuns } from "./support/compare-runs.ts";

const { values } = parseArgs({
  options: {
    updates: { type: "string", default: "80" },
    "wait-ms": { type: "string", default: "4000" },
    "kill-every": { type: "string", default: "180" },
    out: { type: "string", default: "soak-training" },
    program: { type: "string", default: join(import.meta.dirname, "../packages/limbeck/dist/cli/bin.js") },
  },
});
const out = resolve(values.out);
await mkdir(join(out, "runs"), { recursive: true });
const killEveryMs = Number(values["kill-every"]) * 1000;
const startedAt = new Date();
const kills: number[] = [];
const faults: string[] = [];
const done = { whole: 0, killed: 0 };

function settings(dir: string): string[] {
  const world = join(import.meta.dirname, "support", "slow-household.ts");
  const size = `--steps ${values.updates} --seed 5 --threads 1 --set tasks=2 --set group=3 --set maxSteps=8`;
  const rest = "--validate-every 0 --report-tasks 8 --checkpoint-every 1 --recipe opid --resume --json";
  const waits = `--env-set dial=tiny --env-set waitMs=${values["wait-ms"]}`;
  return ["train", "--dir", join(out, "runs", dir), "--env", world, ...`${waits} ${size} ${rest}`.split(" ")];
}

function say(): void {
  const hours = (Date.now() - startedAt.getTime()) / 3_600_000;
  const progress = { startedAt, hours, updates: Number(values.updates), done, kills: kills.length, faults };
  writeFileSync(join(out, "progress.json"), `${JSON.stringify({ ...progress, load: loadavg()[0] }, null, 2)}\n`);
}

/** One life of a training. The exit code, or null where it was killed. */
async function live(dir: "whole" | "killed", killAfterMs?: number): Promise<number | null> {
  const errors = openSync(join(out, `${dir}.log`), "a");
  const child = spawn(process.execPath, [values.program, ...settings(dir)], { stdio: ["ignore", "pipe", errors] });
  const over = new AbortController();
  if (killAfterMs !== undefined) {
    void setTimeout(killAfterMs, undefined, over).then(
      () => child.kill("SIGKILL"),
      () => undefined,
    );
  }
  let said = "";
  child.stdout?.on("data", (data: Buffer) => {
    said += String(data);
    const lines = said.split("\n");
    said = lines.pop() ?? "";
    for (const line of lines) {
      const { event, update } = JSON.parse(line) as { event?: string; update?: number };
      if (event === "update" && update !== undefined) done[dir] = update;
    }
    say();
  });
  const [code] = (await once(child, "close")) as [number | null];
  over.abort();
  return code;
}

async function killedAgainAndAgain(): Promise<void> {
  for (;;) {
    // The moment differs, so that a kill meets every phase of an update.
    const code = await live("killed", killEveryMs * (0.9 + 0.2 * Math.random()));
    if (code === 0) return;
    if (code !== null) {
      faults.push(`the killed training ended by itself with code ${code}; see ${join(out, "killed.log")}`);
      return;
    }
    kills.push(done.killed);
    say();
  }
}

const whole = live("whole").then((code) => {
  if (code !== 0) faults.push(`the undisturbed training ended with code ${code}; see ${join(out, "whole.log")}`);
});
await Promise.all([whole, killedAgainAndAgain()]);
const hours = (Date.now() - startedAt.getTime()) / 3_600_000;
const compared = faults.length === 0 ? await compareRuns(join(out, "runs"), "whole", "killed") : undefined;
faults.push(...(compared?.faults ?? []));
const verdict = {
  holds: faults.length === 0,
  startedAt,
  hours,
  updates: Number(values.updates),
  kills: kills.length,
  /** Updates that were done when each kill came. */
  killedAfterUpdate: kills,
  ...compared,
  faults,
};
writeFileSync(join(out, "verdict.json"), `${JSON.stringify(verdict, null, 2)}\n`);
process.stdout.write(`${JSON.stringify(verdict)}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
