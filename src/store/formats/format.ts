/** The contract of an interchange format: trajectories from a stream of bytes, and back. */
import type { Trajectory } from "../../trajectory/index.ts";

export interface Format {
  readonly id: string;
  /** One sentence for the help text. */
  readonly summary: string;
  /** File endings that suggest this format. */
  readonly extensions: readonly string[];
  /** True for a format that is read for old data and never written. */
  readonly readOnly?: boolean;
  /** What does not survive an export, in words; empty when everything does. */
  readonly loses: string;
  /** Streams: memory does not grow with the file. Paths may be a file or, where the format says so, a folder. */
  read(path: string, options: ReadOptions): AsyncIterable<Trajectory>;
  /** Writes next to the target and renames, so that a failed export leaves no half file. Returns what it wrote. */
  write(
    path: string,
    trajectories: AsyncIterable<Trajectory>,
    options: WriteOptions,
  ): Promise<{ readonly trajectories: number; readonly bytes: number }>;
}

export interface ReadOptions {
  /** Called for what is skipped when `lenient`; otherwise the first fault is thrown. */
  readonly lenient?: boolean;
  readonly onSkip?: (skip: Skip) => void;
  /** Called for what was kept but changed: a second trajectory of the same id gets a new one. */
  readonly onNotice?: (notice: Skip) => void;
  /** Bytes read so far, for a progress bar. */
  readonly onProgress?: (bytes: number) => void;
  readonly signal?: AbortSignal;
  /** Longest line accepted, in bytes. */
  readonly maxLineBytes?: number;
}

/** One thing an import left out or changed: where, and why. */
export interface Skip {
  readonly file: string;
  readonly line?: number;
  readonly code: string;
  readonly message: string;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (trajectories: number) => void;
  /** Replaces an existing target. Default: that is refused. */
  readonly overwrite?: boolean;
  /** Whether spans carry the texts of messages, tools and tasks (OpenTelemetry only). Default: true. */
  readonly content?: boolean;
}
