/**
 * `npm run soak:updates [-- --kills 1000 --large 40 --pairs 10 --seed TEXT --jobs 2]`: trainings with a scripted policy are killed with
 * SIGKILL at random moments and resumed, half of them over a folder, half over object storage. `--kills` of them with buffers of
 * 64 steps and updates of 256 to 512, so that each passes the bound at least three times; `--large` at the real bounds, with updates of
 * 20,000 to 200,000 steps. After each resume every id is there once, none is lost, and metrics and checkpoint are of the same
 * update. `--pairs` times two processes resume one run at once. Exits with 1 when anything is not so.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRng } from "../packages/base/src/base/rng.ts";
import { mapLimit } from "../packages/base/src/base/concurrency.ts";
import { bundleChild } from "./support/built-child.ts";
import {
  killUpdates,
  noKills,
  removePlan,
  resumeTogether,
  type KillCounts,
  type UpdateKills,
} from "./support/kill-updates.ts";
import { freshAddress, objectEnvironment, startObjectServer } from "./support/object-server.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    large: { type: "string", default: "40" },
    pairs: { type: "string", default: "10" },
    seed: { type: "string", default: new Date().toISOString() },
    jobs: { type: "string", default: "2" },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const started = performance.now();
print(
  `seed ${values.seed}: ${values.kills} kills with low bounds, ${values.large} at the real ones, ${values.pairs} pairs`,
);

const home = await mkdtemp(join(tmpdir(), "limbeck-soak-updates-"));
const server = await startObjectServer();
Object.assign(process.env, objectEnvironment(join(home, "copies")));
const program = await bundleChild("kill-update");
const LOW = { sizes: { least: 256, most: 512 }, bufferSteps: 64 };
const REAL = { sizes: { least: 20_000, most: 200_000 }, bufferSteps: 16_384 };
const AT_ONCE = Number(values.jobs);

let plans = 0;
/** A folder and object storage in turn. */
function newPlan(bounds: typeof LOW): UpdateKills {
  plans += 1;
  const dir = join(home, `plan-${plans}`);
  const root = plans % 2 === 0 ? freshAddress(server) : join(dir, "runs");
  return { ...bounds, program, root, dir, rng: createRng(values.seed).split(plans) };
}

/** Each store takes so many kills: to look at all of it gets slower as it grows. */
async function manyKills(name: string, bounds: typeof LOW, total: number, perStore: number): Promise<KillCounts> {
  const sums = { ...noKills(), folder: 0, object: 0 };
  // An even number of stores, so that both kinds get as many.
  const stores = 2 * Math.ceil(total / perStore / 2);
  const shares = Array.from({ length: stores }, (_, at) => Math.floor(total / stores) + Number(at < total % stores));
  await mapLimit(shares, AT_ONCE, async (kills) => {
    const plan = newPlan(bounds);
    const counts = await killUpdates(plan, kills);
    for (const key of ["kills", "inside", "opening", "updates"] as const) sums[key] += counts[key];
    sums[plan.root.startsWith("s3:") ? "object" : "folder"] += counts.kills;
    for (const fault of counts.faults) print(`${fault} (${plan.root})`);
    sums.faults.push(...counts.faults);
    if (counts.faults.length === 0) await removePlan(plan);
    for (const key of server.objects.keys()) if (key.startsWith(prefixOf(plan.root))) server.objects.delete(key);
    print(`${name}: ${sums.kills} of ${total} kills, ${sums.inside} inside an update, ${seconds()} s`);
  });
  return sums;
}

/** Of an address; a folder has nothing on the server. */
function prefixOf(root: string): string {
  return /^s3:\/\/[^/]+\/([^?]+)/.exec(root)?.[1] ?? "nothing";
}

function seconds(): number {
  return Math.round((performance.now() - started) / 1000);
}

const low = await manyKills("low bounds", LOW, Number(values.kills), 20);
const real = await manyKills("real bounds", REAL, Number(values.large), 5);
const pairs = { pairs: 0, faults: [] as string[] };
for (let pair = 0; pair < Number(values.pairs); pair += 1) {
  const plan = newPlan(LOW);
  const counts = await killUpdates(plan, 1);
  pairs.faults.push(...counts.faults, ...(await resumeTogether(plan)));
  pairs.pairs += 1;
}
for (const fault of pairs.faults) print(fault);
await server.close();
const faults = low.faults.length + real.faults.length + pairs.faults.length;
if (faults === 0) await rm(home, { recursive: true, force: true });
else print(`What is left is at ${home}`);
const counted = ({ faults: found, ...rest }: { readonly faults: readonly string[] }): object => ({
  ...rest,
  faults: found.length,
});
print(
  JSON.stringify({
    seed: values.seed,
    low: counted(low),
    real: counted(real),
    pairs: counted(pairs),
    seconds: seconds(),
  }),
);
if (faults > 0) process.exitCode = 1;
