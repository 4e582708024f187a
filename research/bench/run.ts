/** `npm run bench [-- NAME…]`: runs the benches whose name contains one of the given words, all of them without any. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { alfworldBenches } from "./env-alfworld.ts";
import { cliBenches } from "./cli.ts";
import { creditBenches } from "./credit.ts";
import { countdownBenches } from "./env-countdown.ts";
import { householdBenches } from "./env-household.ts";
import { researchBenches } from "./env-research.ts";
import { shopBenches } from "./env-shop.ts";
import { toolsBenches } from "./env-tools.ts";
import { draftBenches } from "./draft.ts";
import { fleetBenches } from "./fleet.ts";
import { formatBenches } from "./formats.ts";
import { llamaCppBenches } from "./llama-cpp.ts";
import { loadBenches } from "./load.ts";
import { lineOf, memoryMib, runBench, type Bench, type Result } from "./harness.ts";
import { policyBenches } from "./policy.ts";
import { policySamplingBenches } from "./policy-sampling.ts";
import { rewardBenches } from "./reward.ts";
import { rolloutBenches } from "./rollout.ts";
import { recordBenches } from "./record.ts";
import { scalingBenches } from "./scaling.ts";
import { searchBenches } from "./search.ts";
import { serveBenches } from "./serve.ts";
import { skillBenches } from "./skills.ts";
import { studioBenches } from "./studio.ts";
import { stateGroupBenches } from "./state-groups.ts";
import { storeBenches } from "./store.ts";

/** One line for each bench file. */
const BENCHES: readonly Bench[] = [
  ...cliBenches,
  ...storeBenches,
  ...serveBenches,
  ...studioBenches,
  ...stateGroupBenches,
  ...skillBenches,
  ...formatBenches,
  ...policyBenches,
  ...policySamplingBenches,
  ...llamaCppBenches,
  ...scalingBenches,
  ...draftBenches,
  ...creditBenches,
  ...rewardBenches,
  ...rolloutBenches,
  ...searchBenches,
  ...alfworldBenches,
  ...countdownBenches,
  ...householdBenches,
  ...researchBenches,
  ...toolsBenches,
  ...shopBenches,
  ...recordBenches,
  ...fleetBenches,
  ...loadBenches,
];

const words = process.argv.slice(2);
/** With a slash it is how the name begins: "search/" is not "research/". */
const isMeant = (name: string, word: string): boolean =>
  word.includes("/") ? name.startsWith(word) : name.includes(word);
const chosen = BENCHES.filter(({ name }) => words.length === 0 || words.some((word) => isMeant(name, word)));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (chosen.length === 0) {
  print(`No bench matches ${words.join(", ")}. Known: ${BENCHES.map(({ name }) => name).join(", ")}.`);
  process.exitCode = 2;
}

const results: Result[] = [];
for (const bench of chosen) {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-bench-"));
  try {
    const result = await runBench(bench, folder);
    results.push(result);
    print(lineOf(result));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (results.length > 0) {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model ?? "unknown", node: process.version };
  const time = new Date().toISOString();
  const file = join(import.meta.dirname, "results", `${time.replaceAll(":", "-")}.json`);
  await mkdir(join(import.meta.dirname, "results"), { recursive: true });
  await writeFile(file, `${JSON.stringify({ time, machine, memoryMib: memoryMib(), results }, null, 2)}\n`);
  print(`\nWritten to ${file}`);
  if (results.some(({ met }) => met === false)) process.exitCode = 1;
}
