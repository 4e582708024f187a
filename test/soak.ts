/**
 * `npm run soak [-- KILLS [SEED]]`: kills writers at random moments while one process reads and two compact, 1,000 times
 * unless told: half of them over a folder, half over object storage that fails one request in fifty. With
 * LIMBECK_SOAK_STORE="s3://bucket/prefix?endpoint=URL" all of them over that server. Prints a line every 25 kills and a summary; exits with 1 when anything was lost, doubled or not whole.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRng } from "../packages/base/src/base/rng.ts";
import { isObjectAddress } from "../packages/base/src/base/object-address.ts";
import { runKills } from "./support/kill-run.ts";
import { freshAddress, objectEnvironment, startObjectServer, type Trouble } from "./support/object-server.ts";

const total = Number(process.argv[2] ?? 1000);
const PER_STORE = Math.min(100, Math.ceil(total / 2));
const seed = process.argv[3] ?? new Date().toISOString();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`${total} kills, seed ${seed}`);

const real = process.env["LIMBECK_SOAK_STORE"];
const cache = await mkdtemp(join(tmpdir(), "limbeck-soak-copies-"));
const server = real === undefined ? await startObjectServer() : undefined;
Object.assign(process.env, server === undefined ? { LIMBECK_CACHE: cache } : objectEnvironment(cache));
const TROUBLES: readonly Trouble[] = ["busy", "broken", "cut-before", "cut-after", "half"];
const rng = createRng(seed);
let troubles = 0;
if (server !== undefined) {
  server.trouble = () => {
    if (rng.int(50) > 0) return undefined;
    troubles += 1;
    return TROUBLES[rng.int(TROUBLES.length)];
  };
}

/** A folder and object storage in turn. */
async function nextRoot(round: number): Promise<string> {
  if (real !== undefined) return real.replace(/\/?(\?|$)/, `/soak-${Date.now()}-${round}$1`);
  if (server !== undefined && round % 2 === 1) return freshAddress(server);
  return await mkdtemp(join(tmpdir(), "limbeck-soak-"));
}

const sums = { kills: 0, acknowledged: 0, stored: 0, reads: 0, compactions: 0, deleted: 0 };
const faults: string[] = [];
const started = performance.now();
// A fresh store for every hundred kills: reading everything over and over would otherwise take ever longer.
for (let done = 0; done < total; done += PER_STORE) {
  const root = await nextRoot(done / PER_STORE);
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
  if (report.faults.length === 0 && !isObjectAddress(root)) await rm(root, { recursive: true, force: true });
  else if (report.faults.length > 0) print(`The store is kept at ${root}`);
}
await server?.close();
await rm(cache, { recursive: true, force: true });
print(
  JSON.stringify({
    ...sums,
    troubles,
    faults: faults.length,
    seconds: Math.round((performance.now() - started) / 1000),
  }),
);
if (faults.length > 0) process.exitCode = 1;
