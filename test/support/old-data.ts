/**
 * What `test/samples/old-data` holds, and how it was written: an arena with one run that is over and one that was stopped after
 * its second update, a tune, a configuration of a training and a job of the fleet. The store beside it is `old-store.ts`.
 */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPlan, type ArenaPlan } from "../../packages/training/src/arena/plan.ts";
import { storePlan } from "../../packages/training/src/arena/run-plan.ts";
import { runArm } from "../../packages/training/src/arena/run-arm.ts";
import { keyedJob } from "../../packages/remote/src/fleet/job.ts";
import { COMMAND_LINE } from "./command-line.ts";

export const OLD_DATA = join("test", "samples", "old-data");
/** From the folder of the project, as in `old-store.ts`. */
export const OLD_START = "test/samples/old-store/start";

/** Goes on with one run of the old arena, or begins it. */
export async function goOn(plan: ArenaPlan, dir: string, arm: string, most = Number.POSITIVE_INFINITY): Promise<void> {
  const stop = new AbortController();
  const onLine = ({ kind, update }: { readonly kind: string; readonly update: number }): void => {
    if (kind === "update" && update === most) stop.abort();
  };
  await runArm({ plan, arm, seed: 1, dir, now: () => 0, signal: stop.signal, onLine }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

/** @public Writes the fixture, with the code of the commit that it stands for. */
export async function writeOldData(): Promise<void> {
  await rm(OLD_DATA, { recursive: true, force: true });
  const settings = {
    tasks: 1,
    group: 2,
    answerTokens: 3,
    maxSteps: 2,
    learningRate: 0.01,
    entropyWeight: 0.1,
    weightDecay: 0.01,
  };
  const plan = readPlan({
    version: 1,
    arms: [
      { name: "grpo", recipe: "grpo", credit: "gigpo", settings: { ...settings, "credit.gamma": 0.9 } },
      { name: "opid", recipe: "opid", settings: { ...settings, teacher: "ema" } },
    ],
    seeds: [1],
    env: "countdown",
    envOptions: { level: "easy" },
    model: OLD_START,
    budget: { account: "updates", amount: 3 },
    evaluation: { every: 2, tasks: 1, finalTasks: 1 },
    checkpointEvery: 1,
    // So that its weights stay.
    goesOn: true,
  });
  const arena = join(OLD_DATA, "arena");
  await goOn(plan, arena, "grpo");
  await rm(join(arena, "grpo", "1"), { recursive: true });
  await goOn(plan, arena, "opid", 3);
  await storePlan(arena, plan);
  const tune = join(OLD_DATA, "tune");
  const set = Object.entries({ ...settings, learningRate: undefined }).flatMap(([key, value]) =>
    value === undefined ? [] : ["--set", `${key}=${value}`],
  );
  const words = "--over learningRate=1e-4,1e-3 --seeds 1 --budget steps=4 --validation-tasks 1 --env countdown".split(
    " ",
  );
  const all = [COMMAND_LINE, "tune", "--model", OLD_START, "--dir", tune, ...words, ...set];
  await promisify(execFile)(process.execPath, all);
  const file = join(tune, "tune.json");
  for (const { name } of readPlan(JSON.parse(await readFile(join(tune, "plan.json"), "utf8"))).arms)
    await rm(join(tune, name, "1"), { recursive: true });
  await writeFile(file, (await readFile(file, "utf8")).replaceAll(`${process.cwd()}/`, ""));
  const config = {
    recipe: "opid",
    env: "countdown",
    envOptions: { level: "easy" },
    model: OLD_START,
    steps: 1,
    seed: 3,
    reward: { rewards: [{ use: "outcome" }, { use: "format", weight: 0.5, options: { tags: [] } }] },
    settings: { ...settings, teacher: "ema", "credit.episodeWeight": 0.5 },
  };
  await writeFile(join(OLD_DATA, "training.json"), `${JSON.stringify(config, undefined, 2)}\n`);
  const hash = "1".repeat(64);
  const job = keyedJob({
    run: "r",
    env: { id: "household", options: { dial: "tiny" } },
    task: { id: "t", env: "household", seed: 1, goal: "g", split: "train" },
    strategy: { name: "group", options: { size: 2 } },
    seed: 1,
    prefix: "1/",
    agent: {
      kind: "training",
      policy: {
        kind: "files",
        hash,
        version: 1,
        files: { "config.json": hash },
        sources: [{ kind: "folder", path: "/a" }],
      },
      settings: { tasks: 1, group: 2, "credit.gamma": 0.5, prompts: "append", system: null },
      skills: { a: "b" },
    },
    peers: 0,
    episode: { steps: 3 },
    attempts: 1,
    concurrency: 1,
    deliver: { to: "store", root: "runs" },
  });
  await writeFile(join(OLD_DATA, "job.json"), `${JSON.stringify(job, undefined, 2)}\n`);
}
