/** One training with or without a curriculum: the divergence of every turn at every update, and success before and after. */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figureOf } from "../../packages/core/src/eval/evaluate.ts";
import { train } from "limbeck";
import type { UpdateEvent } from "limbeck/training";

export const ARMS = ["none", "front-to-back", "back-to-front"] as const;
export type Arm = (typeof ARMS)[number];

export interface Measured {
  readonly arm: Arm;
  readonly seed: number;
  /** First digits of the hash of the starting weights: figures of different models do not belong together. */
  readonly model: string;
  /** Updates done when every curriculum has come to whole episodes. */
  readonly whole: number;
  /** For each update, the mean of log policy - log teacher by turn; null where nobody played the turn. */
  readonly kl: readonly (readonly (number | null)[])[];
  readonly before: number;
  readonly after: number;
  readonly tasks: number;
  readonly environmentSteps: number;
  readonly teacherTokens: number;
  readonly seconds: number;
}

const MODEL = "packages/household-model";
const UPDATES = 16;
const TURNS = 10;
const TASKS = 48;
const SETTINGS = { tasks: 4, group: 4, maxSteps: TURNS, answerTokens: 16, screens: "off", period: 1 } as const;

export async function measure(arm: Arm, seed: number, print: (line: string) => void): Promise<Measured> {
  const model = createHash("sha256")
    .update(await readFile(join(MODEL, "model.safetensors")))
    .digest("hex")
    .slice(0, 12);
  const folder = await mkdtemp(join(tmpdir(), "limbeck-tcod-"));
  const events: UpdateEvent[] = [];
  try {
    const end = await train({
      recipe: "tcod",
      settings: { ...SETTINGS, curriculum: arm },
      env: "household",
      model: MODEL,
      steps: UPDATES,
      seed,
      validation: { every: 0, tasks: 0 },
      report: { tasks: TASKS, split: "valid" },
      checkpointEvery: UPDATES,
      dir: join(folder, "run"),
      keep: false,
      threads: 1,
      onEvent: (event) => {
        if (event.kind !== "update") return;
        events.push(event);
        print(`${arm} ${seed}: update ${event.update} of ${UPDATES}`);
      },
      now: () => performance.now(),
    });
    return {
      arm,
      seed,
      model,
      whole: TURNS,
      kl: events.map(({ metrics }) => Array.from({ length: TURNS }, (_, turn) => metrics[`turn/${turn}/kl`] ?? null)),
      before: figureOf(end.before, "The start"),
      after: figureOf(end.after, "The end"),
      tasks: TASKS,
      environmentSteps: end.spent.environmentSteps,
      teacherTokens: events.reduce((sum, { metrics }) => sum + (metrics["context/teacherTokens"] ?? 0), 0),
      seconds: Math.round(end.spent.seconds),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
