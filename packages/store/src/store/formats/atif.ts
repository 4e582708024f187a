/**
 * ATIF 1.7, the trajectory format of Harbor: read from a file, from JSON lines or an array of documents, or from a
 * folder of runs; written as JSON lines, or as a folder with one file each. `docs/lookup/formats.md` has the mapping.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { isObject, type Json, type JsonObject } from "limbeck-base/base/json";
import { trajectoryFromJson, trajectoryToJson, type TrajectoryJson } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { checkAtif, type AtifDocument } from "./atif-schema.ts";
import { attempt, faultAt, type FileLine } from "./fault.ts";
import type { Format, ReadOptions, WriteOptions } from "./source.ts";
import { readJsonValues } from "./json-values.ts";
import { createRenamer } from "./renamed.ts";
import { isFolderTarget, writeFileSafely, writeFolderSafely } from "./target.ts";
import { buildDocument, readPlain, withoutTextArguments, type BuiltDocument } from "./atif-plain.ts";
import { applyOverlay, overlay } from "./overlay.ts";

export const atif: Format = {
  id: "atif",
  summary: "ATIF 1.7 trajectories; what ATIF has no field for travels under extra.limbeck, so nothing is lost.",
  ending: /\.atif\.jsonl?(\.gz)?$/,
  sign: /"schema_version"\s*:\s*"ATIF-/,
  loses: "",
  read: readAtif,
  write: writeAtif,
};

async function* readAtif(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  const rename = createRenamer(options);
  for await (const { value, file, line } of readJsonValues(path, [], options)) {
    const place = { file, line };
    const found = attempt(place, options, () =>
      readDocument(value, place, undefined, (trajectory) => rename(trajectory, place)),
    );
    if (found !== undefined) yield* found;
  }
}

/** The document's own trajectory, then those of its sub-agents, each after the one that called it. */
export function readDocument(
  value: unknown,
  place: FileLine,
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

// Our own facts inside an ATIF document: the difference between the trajectory and the document's plain meaning, under
// `extra.limbeck` of the document (trajectory, streams) and of each agent step (its step).

const VERSION = 1;
type Extra = { readonly extra?: unknown };

/** The document that reads back as exactly this trajectory. */
export function toDocument(trajectory: Trajectory, parent?: string): AtifDocument {
  const target = trajectoryToJson(trajectory);
  const built = buildDocument(target);
  const plain = differences(target, built, parent);
  if (plain.root === undefined && plain.steps.every((step) => step === undefined)) return built.document;
  // An empty `extra` looks like none once ours has been taken out of it again, so it is dropped first.
  const document = {
    ...withoutEmptyExtra(built.document),
    steps: built.document.steps.map(withoutEmptyExtra),
  };
  const { root, steps } = differences(target, { ...built, document }, parent);
  const own = new Map(built.replies.map((position, index) => [position, steps[index]]));
  const marked = document.steps.map((step, position) => withOwn(step, own.get(position)));
  return { ...withOwn(document, root), steps: marked };
}

/** The trajectory of a checked document. */
function fromDocument(checked: AtifDocument, place: FileLine, parent?: string): Trajectory {
  const document = withoutTextArguments(checked);
  const own = document.extra?.["limbeck"];
  const bare = { ...withoutOwn(document), steps: document.steps.map(withoutOwn) };
  const plain = readPlain(bare, parent);
  const replies = document.steps.filter((step) => step.source === "agent" && step.is_copied_context !== true);
  const steps = plain.steps.map((step, index) => {
    const difference = replies[index]?.extra?.["limbeck"];
    return isObject(difference) ? applyOverlay(step, difference) : step;
  });
  const whole = isObject(own) ? withRoot({ ...plain, steps } as TrajectoryJson, own, place) : { ...plain, steps };
  try {
    return trajectoryFromJson(whole);
  } catch (error) {
    throw faultAt(place, "bad-trajectory", error instanceof Error ? error.message : String(error));
  }
}

function withRoot(plain: TrajectoryJson, own: JsonObject, place: FileLine): JsonObject {
  if (own["version"] !== VERSION) {
    const found = JSON.stringify(own["version"] ?? null);
    throw faultAt(place, "atif-version", `extra.limbeck has version ${found}; known is ${VERSION}. Update limbeck.`);
  }
  const { trajectory, streams } = own;
  const fields = isObject(trajectory) ? applyOverlay(plain, trajectory) : plain;
  if (!Array.isArray(streams)) return fields;
  const rebuilt = streams.map((stream: Json, index) => {
    const before = plain.streams[index] ?? {};
    return isObject(stream) ? applyOverlay(before, stream) : before;
  });
  return { ...fields, streams: rebuilt };
}

function differences(
  target: TrajectoryJson,
  built: BuiltDocument,
  parent: string | undefined,
): { readonly root?: JsonObject; readonly steps: readonly (JsonObject | undefined)[] } {
  const plain = readPlain(built.document, parent);
  const { steps: targetSteps, streams: targetStreams, ...targetRest } = target;
  const { steps: plainSteps, streams: plainStreams, ...plainRest } = plain;
  const steps = targetSteps.map((step, index) => overlay(plainSteps[index] ?? {}, step));
  const trajectory = overlay(plainRest, targetRest);
  const streams = targetStreams.map((stream, index) => overlay(plainStreams[index] ?? {}, stream) ?? null);
  const sameStreams = targetStreams.length === plainStreams.length && streams.every((stream) => stream === null);
  if (trajectory === undefined && sameStreams) return { steps };
  return {
    root: {
      version: VERSION,
      ...(trajectory === undefined ? {} : { trajectory }),
      ...(sameStreams ? {} : { streams }),
    },
    steps,
  };
}

function withOwn<T extends Extra>(item: T, own: JsonObject | undefined): T {
  if (own === undefined) return item;
  return { ...item, extra: { ...(isObject(item.extra) ? item.extra : {}), limbeck: own } };
}

function withoutOwn<T extends Extra>(item: T): T {
  if (!isObject(item.extra) || !Object.hasOwn(item.extra, "limbeck")) return item;
  const { limbeck: _own, ...rest } = item.extra;
  const { extra: _extra, ...fields } = item;
  return (Object.keys(rest).length === 0 ? fields : { ...fields, extra: rest }) as T;
}

function withoutEmptyExtra<T extends Extra>(item: T): T {
  if (item.extra !== null && !(isObject(item.extra) && Object.keys(item.extra).length === 0)) return item;
  const { extra: _extra, ...fields } = item;
  return fields as T;
}
