/** The contract of a result format: scores of tasks, from the files of an evaluation tool. One file a format, one line in registry.ts. */
import type { JsonObject } from "limbeck-base/base/json";
import type { JsonPath } from "../../store/formats/json-stream.ts";

/** One score of one task. Several of the same task and metric are repeated trials. */
export interface Sample {
  /** The same in every file of the same tasks. */
  readonly task: string;
  readonly metric: string;
  /** Undefined where the tool has none: the task broke, or was not scored. */
  readonly score: number | undefined;
  /** Who was tried, where one file holds several. */
  readonly arm?: string;
}

export interface ResultFormat {
  readonly id: string;
  readonly title: string;
  /** Which files, and which of their numbers, in a sentence. */
  readonly reads: string;
  /** Files that are of this kind whatever they hold. */
  readonly ending?: RegExp;
  /** What the beginning of a file shows. */
  readonly sign: RegExp;
  /** Which files of a folder belong together. Default: a folder is not read. */
  readonly files?: RegExp;
  /** Ways to the values that a document is cut into; the first that leads to any. Default: lines, or an array. */
  readonly elements?: readonly JsonPath[];
  /** The values of a file that is no JSON. */
  readonly values?: (path: string) => Promise<readonly JsonObject[]>;
  /** The scores of one value; `file` is its name without folder. */
  readonly samples: (value: JsonObject, file: string) => readonly Sample[];
  /** The metric that is meant where none is named. Default: the only one. */
  readonly main?: string;
}

/** A score that is a number, a truth value, or undefined. */
export function scoreOf(value: unknown): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
