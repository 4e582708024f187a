/** Files of an earlier commit are read and gone on with as that commit did: `test/samples/old-store` and `test/samples/old-data`. */
import { cp, readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { journalFile, readJournal } from "../packages/training/src/arena/journal.ts";
import { storedPlan } from "../packages/training/src/arena/run-plan.ts";
import { type ArenaPlan, fingerprintOf } from "../packages/training/src/arena/plan.ts";
import { storedTune } from "../packages/training/src/arena/tune/stored-tune.ts";
import { keyedJob, parseJob } from "../packages/remote/src/fleet/job.ts";
import { train } from "../packages/training/src/training/train.ts";
import { EARLIER_SETTINGS } from "../packages/core/src/update/settings.ts";
import { limbeck } from "./support/fake-io.ts";
import { expectGolden, masked, played } from "./support/golden.ts";
import { goOn, OLD_DATA } from "./support/old-data.ts";
import { OLD_STORE, oldPlan } from "./support/old-store.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";
import { weightsHash } from "./support/weights-hash.ts";

const newFolder = temporaryFolders();

async function copied(name: string): Promise<string> {
  const folder = await newFolder();
  await cp(join(OLD_DATA, name), folder, { recursive: true });
  return folder;
}

/** Weights to the last bit, where the processor is the one that they were recorded on. */
const RECORDED = {
  processor: "Intel(R) Xeon(R) Processor @ 2.50GHz",
  training: "835b9fd5f07ca3090429620f764b996e06271cabc369b90d42961585f1fbc2da",
  configuration: "971a90cd97b371ca5bc234f47872eb443e99eacdee436993bf8feb931d19173c",
  arena: "2992dae88bc74efe90a0795716503f70fb04b78c226a0d3a6111e2d13108f1a6",
} as const;

async function expectWeights(which: Exclude<keyof typeof RECORDED, "processor">, folder: string): Promise<void> {
  const isSame = cpus()[0]?.model === RECORDED.processor;
  const found = await weightsHash(folder);
  expect(found).toBe(isSame ? RECORDED[which] : found);
}

test("a training goes on from its checkpoint to the same weights", async () => {
  const root = join(await newFolder(), "runs");
  await cp(join(OLD_STORE, "runs", "unfinished"), join(root, "unfinished"), { recursive: true });
  const end = await train(oldPlan(root, "unfinished", 4, { keep: false }));
  expect([end.reason, end.update]).toEqual(["finished", 4]);
  await expectWeights("training", join(root, "unfinished", "model"));
});

test("a configuration file is read, and trains to the same weights", async () => {
  const dir = await newFolder();
  // As updates were when it was written.
  const words =
    "--set penaltyGroups=all --set idleSteps=true --validate-every 0 --report-tasks 1 --threads 1 --json --store";
  const config = join(OLD_DATA, "training.json");
  const { code, out, err } = await limbeck([
    "train",
    "--config",
    config,
    "--dir",
    dir,
    ...words.split(" "),
    `${dir}/s`,
  ]);
  expect([code, err]).toEqual([0, ""]);
  const text = masked(out, { [relative(process.cwd(), dir)]: "DIR", [dir]: "DIR" }).replace(
    /"digest":"\w+"/,
    '"digest":"…"',
  );
  await expectGolden("old-training", [text]);
  await expectWeights("configuration", join(dir, "model"));
});

test("a run of an arena that was stopped goes on, and says what it would have said", async () => {
  const dir = await copied("arena");
  const plan = (await storedPlan(dir)) as ArenaPlan;
  // They are from before there were brakes, and penalties that not all groups pay.
  const prints = plan.arms.map((arm) =>
    fingerprintOf(plan, { ...arm, settings: { ...EARLIER_SETTINGS, ...arm.settings } }, 1),
  );
  const starts = await Promise.all(
    plan.arms.map(async ({ name }) => (await readJournal(journalFile(dir, name, 1)))[0]),
  );
  expect(starts).toMatchObject(prints.map((fingerprint) => ({ fingerprint })));
  await goOn(plan, dir, "opid");
  await expectWeights("arena", join(dir, "opid", "1", "model"));
  const lines = await readJournal(journalFile(dir, "opid", 1));
  await expectGolden("old-arena", [
    ...lines.map((line) => masked(JSON.stringify(line)).replace(/,"phases":\{[^}]*\}/, "")),
    ...(await played([["arena", "--resume", dir, "--report-only"]], { cwd: dir })),
  ]);
});

test("a tune is read and shown", async () => {
  const dir = await copied("tune");
  expect((await storedTune(dir))?.rounds.length).toBeGreaterThan(0);
  await expectGolden("old-tune", await played([["tune", "--resume", dir]], { cwd: dir }));
});

test("a job of the fleet is understood, and has its key", async () => {
  const job: unknown = JSON.parse(await readFile(join(OLD_DATA, "job.json"), "utf8"));
  expect(parseJob(job)).toEqual(job);
  expect(keyedJob(parseJob(job)).key).toBe(parseJob(job).key);
});
