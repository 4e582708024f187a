/** One side of a comparison: the scores in a file or a folder of results, by task and metric. */
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { isThere } from "limbeck-base/base/files";
import { isObject } from "limbeck-base/base/json";
import { lookUp } from "limbeck-base/base/registry";
import { mean } from "limbeck-base/base/statistics/summary";
import { quote, readError } from "../../store/formats/bytes.ts";
import { beginningOf, detectSource } from "../../store/formats/detect.ts";
import type { JsonPath } from "../../store/formats/json-stream.ts";
import { readJsonValues } from "../../store/formats/json-values.ts";
import { sources } from "../importers/registry.ts";
import { taskOf } from "./lm-eval.ts";
import { resultFormats } from "./registry.ts";
import type { ResultFormat, Sample } from "./result-format.ts";

/** So many scores of one side are held. */
const MOST_SAMPLES = 2_000_000;

export interface Results {
  /** What was named, without an arm. */
  readonly path: string;
  readonly format: string;
  readonly arm: string | undefined;
  readonly metrics: readonly string[];
  /** The metric that is meant where none is named. */
  readonly main: string | undefined;
  /** Trials by task; undefined stands for one without a score. */
  readonly trials: (metric: string) => ReadonlyMap<string, readonly (number | undefined)[]>;
}

export interface ReadResultsOptions {
  readonly cwd: string;
  /** The name of a format. Default: what the file shows. */
  readonly format?: string | undefined;
  readonly signal?: AbortSignal;
}

/** `named` is FILE, FOLDER or FILE#ARM, where a file holds several arms. */
export async function readResults(named: string, { cwd, format, signal }: ReadResultsOptions): Promise<Results> {
  const hash = named.lastIndexOf("#");
  const isWhole = hash < 1 || (await isThere(resolve(cwd, named)));
  const path = resolve(cwd, isWhole ? named : named.slice(0, hash));
  const files = await filesOf(path);
  const first = files[0] ?? path;
  const form =
    format === undefined ? await formatOf(first) : lookUp<ResultFormat>(resultFormats, format, "result format");
  const samples: Sample[] = [];
  for (const file of files) {
    for await (const sample of form === undefined ? samplesOfTrajectories(file) : samplesIn(file, form, signal)) {
      if (samples.push(sample) > MOST_SAMPLES)
        throw new EngineError("too-large", `${quote(path)} holds more than ${MOST_SAMPLES} scores; split it.`);
    }
  }
  if (samples.length === 0)
    throw new EngineError("bad-input", `${quote(path)} holds no result of ${form?.title ?? "a task"}.`);
  const arm = chosenArm(samples, isWhole ? undefined : named.slice(hash + 1), named);
  const own = samples.filter((sample) => sample.arm === arm);
  const metrics = [...new Set(own.map(({ metric }) => metric))];
  return {
    path,
    format: form?.id ?? "trajectories",
    arm,
    metrics,
    main:
      form?.main !== undefined && metrics.includes(form.main)
        ? form.main
        : metrics.length === 1
          ? metrics[0]
          : undefined,
    trials: (metric) => trialsOf(own.filter((sample) => sample.metric === metric)),
  };
}

function trialsOf(samples: readonly Sample[]): Map<string, (number | undefined)[]> {
  const trials = new Map<string, (number | undefined)[]>();
  for (const { task, score } of samples) {
    const own = trials.get(task);
    if (own === undefined) trials.set(task, [score]);
    else own.push(score);
  }
  return trials;
}

/** The mean of the trials that have a score; undefined where none has. */
export function meanScore(trials: readonly (number | undefined)[] | undefined): number | undefined {
  const scored = (trials ?? []).filter((score) => score !== undefined);
  return scored.length === 0 ? undefined : mean(scored);
}

async function filesOf(path: string): Promise<string[]> {
  const about = await stat(path).catch((error: unknown) => {
    throw readError(path, error);
  });
  if (!about.isDirectory()) return [path];
  const folders = Object.values<ResultFormat>(resultFormats).flatMap(({ files }) =>
    files === undefined ? [] : [files],
  );
  const names = (await readdir(path)).filter((name) => folders.some((files) => files.test(name))).sort();
  const tasks = names.map(taskOf);
  const twice = tasks.find((task, at) => tasks.indexOf(task) !== at);
  if (twice !== undefined)
    throw usageError(`${quote(path)} holds several files of the task ${quote(twice)}; name one, or move the others.`);
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new EngineError("no-files", `Folder ${quote(path)} holds no samples_*.jsonl; name a file of results.`);
}

/** Undefined where it holds trajectories, as everything does that `limbeck import` reads. */
async function formatOf(file: string): Promise<ResultFormat | undefined> {
  const formats = Object.values<ResultFormat>(resultFormats);
  const named = formats.find(({ ending }) => ending?.test(file) === true);
  if (named !== undefined) return named;
  const beginning = await beginningOf(file);
  const found = formats.find(({ sign }) => sign.test(beginning));
  if (found !== undefined) return found;
  await detectSource(file, Object.values(sources)).catch((cause: unknown) => {
    const known = Object.keys(resultFormats).join(", ");
    const message = `${quote(file)} shows no format of results. Name it with --format: ${known}. Trajectories are read in every format that limbeck import knows.`;
    throw new EngineError("format-unknown", message, { details: { file }, cause });
  });
  return undefined;
}

async function* samplesIn(
  file: string,
  form: ResultFormat,
  signal?: AbortSignal,
): AsyncGenerator<Sample, void, undefined> {
  const name = basename(file);
  const from = (value: unknown): readonly Sample[] => (isObject(value) ? form.samples(value, name) : []);
  if (form.values !== undefined && form.ending?.test(file) === true) {
    for (const value of await form.values(file)) yield* from(value);
    return;
  }
  for (const elements of form.elements ?? [[]]) {
    let found = 0;
    for await (const { value, whole } of readJsonValues(file, elements, signal === undefined ? {} : { signal })) {
      // A document on one line comes whole.
      for (const one of whole ? below(value, elements) : [value]) {
        for (const sample of from(one)) {
          found += 1;
          yield sample;
        }
      }
    }
    if (found > 0) return;
  }
}

/** The elements of a value; the value itself where it has no such path, as a line of JSON lines has none. */
function below(value: unknown, [name, ...rest]: JsonPath): readonly unknown[] {
  if (name === undefined) return [value];
  if (name === "*") return Array.isArray(value) ? value.flatMap((one) => below(one, rest)) : [];
  return isObject(value) && value[name] !== undefined ? below(value[name], rest) : [value];
}

async function* samplesOfTrajectories(file: string): AsyncGenerator<Sample, void, undefined> {
  const source = await detectSource(file, Object.values(sources));
  for await (const { task, success, reward } of source.read(file, {})) {
    yield { task: task.id, metric: "success", score: success === null ? undefined : Number(success) };
    yield { task: task.id, metric: "reward", score: reward.kind === "scored" ? reward.value : undefined };
  }
}

function chosenArm(samples: readonly Sample[], wanted: string | undefined, named: string): string | undefined {
  const arms = [...new Set(samples.flatMap(({ arm }) => arm ?? []))];
  const [only] = arms;
  if (wanted === undefined) {
    if (arms.length <= 1) return only;
    throw usageError(
      `${quote(named)} holds ${arms.length} arms; name one: ${shown(arms.map((arm) => `${named}#${arm}`))}.`,
    );
  }
  if (arms.length === 0)
    throw usageError(`${quote(named)} holds one arm without a name; leave "#" and what follows out.`);
  const exact = arms.filter((arm) => arm === wanted);
  const fitting = exact.length > 0 ? exact : arms.filter((arm) => arm.includes(wanted));
  if (fitting.length === 1) return fitting[0];
  const fault = fitting.length === 0 ? "No arm" : `${fitting.length} arms`;
  throw usageError(
    `${fault} of ${quote(named)} ${fitting.length === 0 ? "is" : "are"} called ${quote(wanted)}. Known: ${shown(arms)}.`,
  );
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, 10).map(quote).join(", ");
  return names.length > 10 ? `${first}, and ${names.length - 10} more` : first;
}
