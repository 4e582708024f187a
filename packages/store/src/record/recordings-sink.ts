/** Where recorded lines go on their way into the store: in this thread, or in one of their own. */
import type { RecordedLine } from "../store/formats/recorded-lines.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface RecordingsStatus {
  readonly open: number;
  readonly stored: number;
  readonly dropped: number;
  readonly problem?: string;
}

export interface RecordingsSink {
  /** Takes a redacted line. Never throws and never waits. */
  add(line: RecordedLine): void;
  /** A finished trajectory from elsewhere; the same one again is not stored again. */
  addTrajectory(trajectory: Trajectory): Promise<void>;
  /** Writes new lines to the journal. */
  save(): Promise<void>;
  /** Stores what is over. */
  tick(): Promise<void>;
  status(): RecordingsStatus;
  /** Stores everything that is open, as it stands. */
  close(): Promise<void>;
}
