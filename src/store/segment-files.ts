/** Segments of a writer: rows as files of their own names, which nobody reads before a commit names them. */
import { createHash } from "node:crypto";
import { EngineError } from "../base/errors.ts";
import { segmentPath, type Segment } from "./commit-format.ts";
import { piecesOf } from "./encode.ts";
import type { Files } from "./files.ts";
import { TABLE_NAMES, TABLES, type Row, type TableName } from "./tables.ts";

/** Rows of every table, in their order. */
export type Rows = Record<TableName, Row[]>;

export const noRows = (): Rows => Object.fromEntries(TABLE_NAMES.map((table) => [table, []])) as unknown as Rows;

export interface SegmentFiles {
  /** All of them or none. */
  write(rows: Rows): Promise<Segment[]>;
  /** The name of a file for the state. */
  writeState(state: string): Promise<string>;
  /** Files that no commit names are only in the way, above all on a full disk. */
  discard(names: readonly string[]): Promise<void>;
  /** Fails where one is no longer there. */
  require(segments: readonly Segment[]): Promise<void>;
}

/** `pieceBytes`: about as much of the rows lies in one file. To make one takes six times as much memory for a moment. */
export function segmentFiles(files: Files, run: string, writer: string, pieceBytes: number): SegmentFiles {
  let count = 0;
  const discard: SegmentFiles["discard"] = async (names) => {
    // What stays is cleaned up by compaction.
    for (const file of names) await files.remove(segmentPath(run, file)).catch(() => undefined);
  };
  const writePiece = async (table: TableName, piece: readonly Row[]): Promise<Segment> => {
    // Loaded when used: Arrow and the Parquet writer take a while, and most commands only read.
    const { segmentBytes } = await import("./segment.ts");
    const bytes = segmentBytes(TABLES[table], piece);
    const file = `${table}-${writer}-${(count += 1)}.parquet`;
    await files.put(segmentPath(run, file), bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { table, file, rows: piece.length, bytes: bytes.length, schemaVersion: TABLES[table].version, sha256 };
  };
  return {
    discard,
    write: async (rows) => {
      const segments: Segment[] = [];
      const written = await Promise.allSettled(
        TABLE_NAMES.map(async (table) => {
          // One after the other: what is made of one is gone before the next.
          for (const piece of piecesOf(rows[table], pieceBytes)) segments.push(await writePiece(table, piece));
        }),
      );
      const failed = written.find((result) => result.status === "rejected");
      if (failed === undefined) return segments;
      await discard(segments.map(({ file }) => file));
      throw failed.reason;
    },
    writeState: async (state) => {
      const file = `state-${writer}-${(count += 1)}.json`;
      await files.put(segmentPath(run, file), Buffer.from(state));
      return file;
    },
    require: async (segments) => {
      for (const { file, bytes } of segments) {
        if ((await files.stat(segmentPath(run, file)))?.bytes === bytes) continue;
        throw new EngineError(
          "segment-missing",
          `${files.address(segmentPath(run, file))}, which is not committed yet, was removed or changed, so these rows of run "${run}" cannot be stored any more. Do that work again.`,
          { details: { run, file } },
        );
      }
    },
  };
}
