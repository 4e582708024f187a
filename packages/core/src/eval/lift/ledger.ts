/**
 * The answers of lift tests, one a line, in a file beside the skills: a second run pays for nothing that is known, one that was stopped
 * goes on, and one that adds trials goes on with the evidence of all before it (`always-valid.ts`). Only scored outcomes are
 * kept. Lines that cannot be read are passed over: the file is only ever appended to.
 */
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { statIfThere, textIfThere } from "limbeck-base/base/files";
import { canonicalJson, parseJson } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { ARMS, trialSeed, type Arm, type ArmCall, type RunArm } from "./arms.ts";
import { evidenceOf, type LiftEvidence } from "./lift.ts";

const lineSchema = z.object({
  /** Of everything else that the outcome depends on. */
  setting: z.string().max(64),
  arm: z.enum(ARMS),
  /** Name and version; none in the arm without text. */
  skill: z.string().max(200).optional(),
  task: z.string().max(64),
  trial: z.string().max(200),
  text: z.string().max(64),
  success: z.union([z.literal(0), z.literal(1)]),
});
type Line = z.infer<typeof lineSchema>;

export interface LedgerOptions {
  readonly file: string;
  /** What outcomes depend on besides task, text and trial: the world, the policy, the judge. */
  readonly setting: object;
  readonly seed: number | string;
  /** How many of so many runs may still be made; the others stay without outcome. Default: all. */
  readonly allow?: (runs: number) => number;
}

export interface Ledger {
  /** The same arms for a skill (name and version): what is known is not run, what is run is kept at once. */
  armsOf(skill: string, run: RunArm): RunArm;
  /** How many of these would have to be run. */
  unknown(tasks: readonly Task[], textFor: (task: Task) => string | undefined, call: ArmCall): number;
  /** What is known of a skill from trials other than the first `trials` of these tasks. */
  earlier(skill: string, tasks: readonly Task[], trials: number): LiftEvidence;
}

const MOST_BYTES = 256 * 2 ** 20;

export async function openLedger({ file, setting, seed, allow = (runs) => runs }: LedgerOptions): Promise<Ledger> {
  const settingHash = hash(canonicalJson(setting));
  const lines = (await readLines(file)).filter((line) => line.setting === settingHash);
  const known = new Map(lines.map((line) => [keyOf(line), line.success]));
  const place = (task: Task, trial: number): Pick<Line, "task" | "trial"> => {
    const { id, goal, seed: drawn, data = null } = task;
    return { task: hash(canonicalJson([id, goal, drawn, data])), trial: String(trialSeed(seed, trial)) };
  };
  const add = (line: Line): void => {
    known.set(keyOf(line), line.success);
    lines.push(line);
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
  const knownOf = (task: Task, text: string | undefined, trial: number): 0 | 1 | undefined =>
    known.get(keyOf({ ...place(task, trial), text: hash(text ?? "") }));
  return {
    armsOf: (skill, run) => async (tasks, textFor, call) => {
      const { arm = "bare", trial = 1 } = call ?? {};
      const outcomeOf = (task: Task): 0 | 1 | undefined => knownOf(task, textFor(task), trial);
      const keep = (task: Task, success: number | null): void => {
        if (success === null || outcomeOf(task) !== undefined) return;
        const whose = arm === "bare" ? {} : { skill };
        const text = hash(textFor(task) ?? "");
        add({ setting: settingHash, arm, ...whose, ...place(task, trial), text, success: success === 1 ? 1 : 0 });
      };
      const fresh = tasks.filter((task) => outcomeOf(task) === undefined);
      const asked = fresh.slice(0, allow(fresh.length));
      if (asked.length > 0) {
        const found = await run(asked, textFor, { arm, trial, onOutcome: keep });
        for (const [at, task] of asked.entries()) keep(task, found[at] ?? null);
      }
      return tasks.map((task) => outcomeOf(task) ?? null);
    },
    unknown: (tasks, textFor, { trial }) =>
      tasks.filter((task) => knownOf(task, textFor(task), trial) === undefined).length,
    earlier: (skill, tasks, trials) => {
      const planned = new Set<string>();
      for (const task of tasks)
        for (let trial = 1; trial <= trials; trial += 1) planned.add(trialKey(place(task, trial)));
      return evidenceIn(lines, skill, planned);
    },
  };
}

/** Trials that all three arms have, without those that are planned. */
function evidenceIn(lines: readonly Line[], skill: string, planned: ReadonlySet<string>): LiftEvidence {
  const trials = new Map<string, Partial<Record<Arm, number>>>();
  for (const line of lines) {
    const key = trialKey(line);
    if (planned.has(key) || (line.skill !== skill && line.arm !== "bare")) continue;
    trials.set(key, { ...trials.get(key), [line.arm]: line.success });
  }
  const whole = [...trials.values()].filter((one) => ARMS.every((arm) => one[arm] !== undefined));
  const outcomesOf = (arm: Arm): (number | null)[] => whole.map((one) => one[arm] ?? null);
  return evidenceOf({ bare: outcomesOf("bare"), placebo: outcomesOf("placebo"), skill: outcomesOf("skill") });
}

function trialKey({ task, trial }: Pick<Line, "task" | "trial">): string {
  return `${task} ${trial}`;
}

function keyOf({ task, trial, text }: Pick<Line, "task" | "trial" | "text">): string {
  return `${task} ${trial} ${text}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}

async function readLines(file: string): Promise<Line[]> {
  const size = (await statIfThere(file))?.size ?? 0;
  if (size > MOST_BYTES) {
    throw new EngineError(
      "bad-input",
      `The answers of lift tests in "${file}" are ${size} bytes; at most ${MOST_BYTES} are read. Move the file away: a lift then begins anew.`,
    );
  }
  return ((await textIfThere(file)) ?? "").split("\n").flatMap((line) => {
    const parsed = lineSchema.safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}
