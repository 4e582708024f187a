/**
 * `npm run soak [-- KILLS]`: kills writers at random moments while one process reads and two compact, 1,000 times unless
 * told. Prints a line every 25 kills and a summary; exits with 1 when anything was lost, doubled or not whole.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runKills } from "./support/kill-run.ts";

const PER_STORE = 100;

const total = Number(process.argv[2] ?? 1000);
const seed = process.argv[3] ?? new Date().toISOString();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`${total} kills, seed ${seed}`);

const sums = { kills: 0, acknowledged: 0, stored: 0, reads: 0, compactions: 0, deleted: 0 };
const faults: string[] = [];
const started = performance.now();
// A fresh store for every hundred kills: reading everything over and over would otherwise take ever longer.
for (let done = 0; done < total; done += PER_STORE) {
  const root = await mkdtemp(join(tmpdir(), "limbeck-soak-"));
  const kills = Math.min(PER_STORE, total - done);
  const report = await runKills({
    root,
    kills,
    writers: 3,
    compactors: 2,
    seed: `${seed}-${done}`,
    onKill: (count) => {
      if (count % 25 === 0)
        print(`${done + count} of ${total} kills, ${Math.round((performance.now() - started) / 1000)} s`);
    },
  });
  for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += report[key];
  faults.push(...report.faults);
  for (const fault of report.faults) print(fault);
  if (report.faults.length === 0) await rm(root, { recursive: true, force: true });
  else print(`The store is kept at ${root}`);
}
print(JSON.stringify({ ...sums, faults: faults.length, seconds: Math.round((performance.now() - started) / 1000) }));
if (faults.length > 0) process.exitCode = 1;
