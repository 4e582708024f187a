/** Trajectories in logs of others, in any format that is imported, for what looks at them without storing them. */
import { resolve } from "node:path";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { detectSource, filesBelow } from "../store/formats/detect.ts";
import type { Skip, Source } from "../store/formats/source.ts";
import { sources } from "./importers/registry.ts";

/** So many are held at once. */
const MOST = 100_000;

export interface Logs {
  readonly trajectories: readonly Trajectory[];
  readonly files: number;
  /** Files and records that could not be read, each with its reason. */
  readonly skips: readonly Skip[];
}

export interface ReadLogsOptions {
  readonly cwd: string;
  /** Default: what each file shows. */
  readonly format?: string | undefined;
  readonly signal?: AbortSignal;
}

/** A file that shows no format is passed over in a folder, and is an error where it was named. */
export async function readLogs(paths: readonly string[], { cwd, format, signal }: ReadLogsOptions): Promise<Logs> {
  if (paths.length === 0) throw usageError("Name a file or a folder of logs.");
  const trajectories: Trajectory[] = [];
  const skips: Skip[] = [];
  let files = 0;
  for (const named of paths) {
    const path = resolve(cwd, named);
    const given = format === undefined ? undefined : lookUp<Source>(sources, format, "format");
    const parts = given === undefined ? await all(filesBelow(path)) : [path];
    for (const file of parts) {
      const source = given ?? (await detected(file, file === path, skips));
      if (source === undefined) continue;
      files += 1;
      const onSkip = (skip: Skip): void => void skips.push(skip);
      for await (const trajectory of source.read(file, { lenient: true, onSkip, ...(signal && { signal }) })) {
        if (trajectories.push(trajectory) <= MOST) continue;
        throw new EngineError("too-large", `There are more than ${MOST} trajectories; name a part of them.`);
      }
    }
  }
  return { trajectories: grouped(trajectories), files, skips };
}

async function all(files: AsyncIterable<string>): Promise<string[]> {
  const names: string[] = [];
  for await (const file of files) names.push(file);
  return names;
}

async function detected(file: string, isNamed: boolean, skips: Skip[]): Promise<Source | undefined> {
  try {
    return await detectSource(file, Object.values(sources));
  } catch (error) {
    if (isNamed || !(error instanceof EngineError)) throw error;
    skips.push({ file, code: error.code, message: "it shows no format that is read" });
    return undefined;
  }
}

/** Where no group has two members, attempts at the same goal are one: many formats know nothing of groups. */
function grouped(trajectories: readonly Trajectory[]): readonly Trajectory[] {
  if (new Set(trajectories.map(({ group }) => group)).size < trajectories.length) return trajectories;
  return trajectories.map((one) => (one.task.goal === "" ? one : { ...one, group: one.task.goal }));
}
