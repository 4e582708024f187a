/**
 * The events of a run so far: one JSON object a line, each written in one piece. A kill can tear the last line, which is
 * then as if it had not been written; a run that goes on from a checkpoint first drops what came after it.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJson } from "limbeck-base/base/json";
import { replaceFile, textIfThere } from "limbeck-base/base/files";

/** What had been spent when a line was written. Evaluations are in none of these. */
export interface Spending {
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  /** Tokens read, or scored by a teacher or another provider of signals, where they are not sampled ones. */
  readonly modelTokens: number;
  /** Tokens that were scored for the teacher; part of `modelTokens`. */
  readonly teacherTokens: number;
  readonly seconds: number;
}

export interface Measured {
  readonly success: number;
  readonly solved: number;
  /** Those that were seen. */
  readonly tasks: number;
  readonly meanSteps: number;
  /** Share of actions that the world refused. */
  readonly invalid: number;
}

export interface StartLine {
  readonly kind: "start";
  readonly update: 0;
  readonly arm: string;
  readonly seed: number;
  readonly fingerprint: string;
  readonly parameters: number;
}

export interface UpdateLine extends Spending {
  readonly kind: "update";
  readonly update: number;
  /** Of the training episodes of this update. */
  readonly success: number;
  readonly reward: number;
  readonly entropy: number;
  /** Divergence from the start as the loss saw it; null where the recipe does not ask for it. */
  readonly kl: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  /** Seconds of each phase of this update. */
  readonly phases: Readonly<Record<string, number>>;
}

/** A point of the curve. */
export interface PointLine extends Spending, Measured {
  readonly kind: "point";
  readonly update: number;
}

export interface NoticeLine {
  readonly kind: "notice";
  readonly update: number;
  readonly message: string;
}

export interface TrainedLine extends Spending {
  readonly kind: "trained";
  readonly update: number;
  readonly reason: string;
  /** Seconds beside the updates: evaluations, checkpoints. */
  readonly otherSeconds: number;
  /** Processor seconds of the whole process since it last began. */
  readonly processorSeconds: number;
}

export interface FinalLine extends Measured {
  readonly kind: "final";
  readonly update: number;
  readonly split: string;
  /** Kinds of tasks, where the world names them; journals from before this was written down have none. */
  readonly families?: readonly FamilyShare[];
}

export interface FamilyShare {
  readonly family: string;
  readonly tasks: number;
  readonly success: number;
}

/** Success on the same held-out tasks with a fresh skill for each in the prompt and without, after the training. */
export interface RetentionLine {
  readonly kind: "retention";
  readonly update: number;
  readonly tasks: number;
  readonly withSkill: number;
  readonly withoutSkill: number;
  /** The same of the starting model, with the same skills. */
  readonly startWithSkill: number;
  readonly startWithoutSkill: number;
}

export interface EndLine {
  readonly kind: "end";
  readonly update: number;
}

export interface FailedLine {
  readonly kind: "failed";
  readonly update: number;
  readonly code: string;
  readonly message: string;
}

export type JournalLine =
  | StartLine
  | UpdateLine
  | PointLine
  | NoticeLine
  | TrainedLine
  | FinalLine
  | RetentionLine
  | EndLine
  | FailedLine;

/**
 * Where the journal of a run lies in the arena's folder.
 *
 * @example
 * console.log(journalFile("runs/arena", "grpo", 1).replaceAll("\\", "/")); // runs/arena/grpo/1.jsonl
 */
export function journalFile(dir: string, arm: string, seed: number): string {
  return join(dir, arm, `${seed}.jsonl`);
}

/**
 * Every whole line; none where there is no file.
 *
 * @example
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "arena-"));
 * await writeFile(join(folder, "1.jsonl"), '{"kind":"end","update":9}\n{"kind":"poi');
 * console.log(await readJournal(join(folder, "1.jsonl"))); // [ { kind: "end", update: 9 } ]
 * await rm(folder, { recursive: true });
 */
export async function readJournal(file: string): Promise<JournalLine[]> {
  const text = (await textIfThere(file)) ?? "";
  // A line that was torn by a kill is not JSON.
  return text.split("\n").flatMap((line) => (parseJson(line) ?? []) as unknown as JournalLine);
}

export interface Journal {
  readonly lines: readonly JournalLine[];
  add(line: JournalLine): void;
  /** Drops what came after an update, and the named lines. */
  cut(update: number, drop?: (line: JournalLine) => boolean): Promise<void>;
}

export async function openJournal(file: string, onLine?: (line: JournalLine) => void): Promise<Journal> {
  const lines = await readJournal(file);
  mkdirSync(dirname(file), { recursive: true });
  const rewrite = async (): Promise<void> => {
    await replaceFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  // A torn last line would swallow the next one.
  if (lines.length > 0) await rewrite();
  return {
    lines,
    add: (line) => {
      lines.push(line);
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      onLine?.(line);
    },
    cut: async (update, drop = () => false) => {
      const kept = lines.filter((line) => line.update <= update && !drop(line));
      lines.splice(0, lines.length, ...kept);
      await rewrite();
    },
  };
}

/**
 * A run is over when its last line says so.
 *
 * @example
 * console.log(isFinished([]), isFinished([{ kind: "end", update: 9 }])); // false true
 */
export function isFinished(lines: readonly JournalLine[]): boolean {
  return lines.at(-1)?.kind === "end";
}
