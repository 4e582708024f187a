/** What stands in the files of a commit log: commits, checkpoints, and what they fold to. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { boundedJson } from "limbeck-base/base/json";
import { TABLE_NAMES } from "./tables.ts";

const FORMAT = 1;
const NUMBER_DIGITS = 10;
const CHECKPOINT_ENDING = ".checkpoint.json";

/** Inside the folder "segments". */
const FileNameSchema = z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/);

const SegmentSchema = z.object({
  table: z.enum(TABLE_NAMES),
  file: FileNameSchema,
  rows: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  schemaVersion: z.number().int().positive(),
  /** Of the file's bytes. Segments from before there were checksums have none. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
});

const CommitSchema = z.object({
  format: z.literal(FORMAT),
  number: z.number().int().positive(),
  /** Unique for each attempt to commit. */
  id: z.string(),
  /** What the commit is the result of, where that may be done twice: of several commits with one key the first counts. */
  key: z.string().exactOptional(),
  writer: z.string(),
  /** Whether the writer held the run: another that holds it commits nothing behind this one. Default: no. */
  holds: z.boolean().exactOptional(),
  time: z.string(),
  /** Where the added rows stand among the others: the number itself, or for compaction the place of what it replaces. */
  order: z.number().int().positive(),
  add: z.array(SegmentSchema),
  remove: z.array(z.string()),
  /** The file with what the run's writers keep for the next time, from this commit on. */
  state: FileNameSchema.exactOptional(),
});

const PartSchema = z.object({ order: z.number().int().positive(), segments: z.array(SegmentSchema) });
const RemovedSchema = z.object({ file: z.string(), at: z.string() });

const CheckpointSchema = z.object({
  format: z.literal(FORMAT),
  number: z.number().int().positive(),
  parts: z.array(PartSchema),
  removed: z.array(RemovedSchema),
  recent: z.array(z.tuple([z.number().int(), z.string()])),
  // Checkpoints from before there were keys have none.
  keys: z.array(z.string()).default([]),
  state: FileNameSchema.exactOptional(),
});

export type Segment = z.output<typeof SegmentSchema>;
export type Commit = z.output<typeof CommitSchema>;
export type Checkpoint = z.output<typeof CheckpointSchema>;

/** Rows that were committed, or compacted, together: all tables of one stretch of the run. */
export type Part = z.output<typeof PartSchema>;

/** The run after its newest commit. */
export interface Fold {
  readonly number: number;
  /** In commit order. */
  readonly parts: readonly Part[];
  /** Replaced files that may still be on disk, and since when. */
  readonly removed: readonly z.output<typeof RemovedSchema>[];
  /** Ids of the newest commits, by number: how a writer sees that a checkpoint knows its commit. */
  readonly recent: readonly (readonly [number, string])[];
  /** Keys of the commits that counted. */
  readonly keys: readonly string[];
  /** The file with what the run's writers keep for the next time. */
  readonly state?: string;
}

export const EMPTY_FOLD: Fold = { number: 0, parts: [], removed: [], recent: [], keys: [] };

/** How many commit ids a fold remembers. */
const RECENT = 4096;

export function segmentPath(run: string, file: string): string {
  return `${run}/segments/${file}`;
}

export function commitPath(run: string, number: number): string {
  return `${run}/commits/${String(number).padStart(NUMBER_DIGITS, "0")}.json`;
}

export function checkpointPath(run: string, number: number): string {
  return commitPath(run, number).replace(/\.json$/, CHECKPOINT_ENDING);
}

/** Every commit in order; linear, so that a long log folds quickly. */
export function applyCommits(fold: Fold, commits: readonly Commit[]): Fold {
  const parts = new Map<string, Part>(fold.parts.map((part) => [partKey(part.segments), part]));
  const owner = new Map<string, string>();
  for (const [key, part] of parts) for (const { file } of part.segments) owner.set(file, key);
  const removed = [...fold.removed];
  const keys = new Set(fold.keys);
  let { state } = fold;
  const letGo = (file: string | undefined, at: string): void => {
    if (file !== undefined) removed.push({ file, at });
  };
  for (const commit of commits) {
    if (commit.key !== undefined && keys.has(commit.key)) {
      // These rows were never visible; compaction may take the files away like replaced ones.
      for (const { file } of commit.add) letGo(file, commit.time);
      letGo(commit.state, commit.time);
      continue;
    }
    if (commit.state !== undefined) {
      letGo(state, commit.time);
      ({ state } = commit);
    }
    if (commit.key !== undefined) keys.add(commit.key);
    for (const file of commit.remove) {
      parts.delete(owner.get(file) ?? "");
      letGo(file, commit.time);
    }
    if (commit.add.length === 0) continue;
    const key = partKey(commit.add);
    parts.set(key, { order: commit.order, segments: commit.add });
    for (const { file } of commit.add) owner.set(file, key);
  }
  return {
    number: commits.at(-1)?.number ?? fold.number,
    parts: [...parts.values()].sort((left, right) => left.order - right.order),
    removed,
    recent: [...fold.recent, ...commits.map(({ number, id }) => [number, id] as const)].slice(-RECENT),
    keys: [...keys],
    ...(state === undefined ? {} : { state }),
  };
}

function partKey(segments: readonly Segment[]): string {
  return segments[0]?.file ?? "";
}

export function commitBytes(commit: Omit<Commit, "format"> | Fold): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...commit })}\n`);
}

/** `number` is the one in its name. */
export function parseCommit(text: string, path: string, number: number): Commit {
  return parseFile(CommitSchema, text, path, { kind: "commit", number });
}

export function parseCheckpoint(text: string, path: string, number: number): Checkpoint {
  return parseFile(CheckpointSchema, text, path, { kind: "checkpoint", number });
}

function parseFile<T extends { readonly format: number; readonly number: number }>(
  schema: z.ZodType<T>,
  text: string,
  path: string,
  { kind, number }: { readonly kind: string; readonly number: number },
): T {
  let value: unknown;
  try {
    value = boundedJson(text);
  } catch (cause) {
    throw new EngineError("bad-commit", `${path} is not JSON, so this ${kind} cannot be read. Restore the file.`, {
      details: { path },
      cause,
    });
  }
  const format = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (typeof format === "number" && format > FORMAT) throw newerFormat(path, `${kind} format ${format}`, FORMAT);
  const parsed = schema.safeParse(value);
  if (parsed.success && parsed.data.number === number) return parsed.data;
  const why = parsed.success ? `it is number ${parsed.data.number}` : z.prettifyError(parsed.error);
  throw new EngineError("bad-commit", `${path} is not a ${kind}: ${why}. Restore the file.`, { details: { path } });
}

/** The error for what a later release wrote. */
export function newerFormat(path: string, found: string, known: number): EngineError {
  return new EngineError(
    "newer-format",
    `${path} has ${found}; this release reads up to ${known}. Use the release of Limbeck that wrote it, or a later one.`,
    { details: { path, known } },
  );
}
