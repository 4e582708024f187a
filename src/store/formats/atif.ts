/**
 * ATIF 1.7, the trajectory format of Harbor: read from a file, from JSON lines or an array of documents, or from a
 * folder of runs; written as JSON lines, or as a folder with one file each. `docs/formats.md` has the mapping.
 */
import { groupedBy, isObject } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { fromDocument, toDocument } from "./atif-extra.ts";
import { checkAtif, type AtifDocument } from "./atif-schema.ts";
import { attempt, type Place } from "./fault.ts";
import type { Format, ReadOptions, WriteOptions } from "./format.ts";
import { createUnique } from "./identity.ts";
import { readJsonValues } from "./json-values.ts";
import { renamed } from "./renamed.ts";
import { isFolderTarget, writeFileSafely, writeFolderSafely } from "./target.ts";

export const atif: Format = {
  id: "atif",
  summary: "ATIF 1.7 trajectories; what ATIF has no field for travels under extra.limbeck, so nothing is lost.",
  extensions: [".atif.jsonl", ".atif.json", ".json"],
  loses: "",
  read: readAtif,
  write: writeAtif,
};

async function* readAtif(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  const unique = createUnique();
  for await (const { value, file, line } of readJsonValues(path, [], options)) {
    const place = { file, line };
    const found = attempt(place, options, () =>
      readDocument(value, place, undefined, (trajectory) => renamed(trajectory, unique(trajectory.id), place, options)),
    );
    if (found !== undefined) yield* found;
  }
}

/** The document's own trajectory, then those of its sub-agents, each after the one that called it. */
export function readDocument(
  value: unknown,
  place: Place,
  parent?: string,
  name: (trajectory: Trajectory) => Trajectory = (trajectory) => trajectory,
): Trajectory[] {
  const document = checkAtif(value, place);
  const agents = document.subagent_trajectories ?? [];
  const root = name(fromDocument(document, place, parent));
  return [root, ...agents.flatMap((agent) => readDocument(agent, place, root.id, name))];
}

async function writeAtif(
  path: string,
  trajectories: AsyncIterable<Trajectory>,
  options: WriteOptions,
): Promise<{ readonly trajectories: number; readonly bytes: number }> {
  let count = 0;
  async function* counted(): AsyncGenerator<Trajectory, void, undefined> {
    for await (const trajectory of trajectories) {
      count += 1;
      options.onProgress?.(count);
      yield trajectory;
    }
  }
  const documents = joinAgents(counted());
  const bytes = (await isFolderTarget(path))
    ? await writeFolderSafely(path, asFiles(documents), options)
    : await writeFileSafely(path, asLines(documents), options);
  return { trajectories: count, bytes };
}

async function* asLines(documents: AsyncIterable<AtifDocument>): AsyncGenerator<string, void, undefined> {
  for await (const document of documents) yield `${JSON.stringify(document)}\n`;
}

/** Numbered, so that the order stays; the id only decorates the name and never becomes a path. */
async function* asFiles(
  documents: AsyncIterable<AtifDocument>,
): AsyncGenerator<{ readonly name: string; readonly text: string }, void, undefined> {
  let number = 0;
  for await (const document of documents) {
    number += 1;
    const id = (document.trajectory_id ?? "").replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
    const name = `trajectory-${String(number).padStart(6, "0")}-${id}.json`;
    yield { name, text: `${JSON.stringify(document, null, 2)}\n` };
  }
}

/** Sub-agents that directly follow their caller go back into its document; others become documents of their own. */
export async function* joinAgents(
  trajectories: AsyncIterable<Trajectory>,
): AsyncGenerator<AtifDocument, void, undefined> {
  let waiting: Trajectory[] = [];
  let ids = new Set<string>();
  for await (const trajectory of trajectories) {
    const caller = callerOf(trajectory);
    if (waiting.length > 0 && (caller === undefined || !ids.has(caller) || ids.has(trajectory.id))) {
      yield joined(waiting);
      waiting = [];
      ids = new Set();
    }
    waiting.push(trajectory);
    ids.add(trajectory.id);
  }
  if (waiting.length > 0) yield joined(waiting);
}

function joined([root, ...agents]: readonly Trajectory[]): AtifDocument {
  const below = groupedBy(agents, callerOf);
  const build = (trajectory: Trajectory, parent?: string): AtifDocument => {
    const document = toDocument(trajectory, parent);
    const called = below.get(trajectory.id) ?? [];
    if (called.length === 0) return document;
    return { ...document, subagent_trajectories: called.map((agent) => build(agent, trajectory.id)) };
  };
  return build(root as Trajectory);
}

function callerOf(trajectory: Trajectory): string | undefined {
  const memory = trajectory.info?.["atif"];
  const caller = isObject(memory) ? memory["subagentOf"] : undefined;
  return typeof caller === "string" ? caller : undefined;
}
