/** A recorder whose lines are held in memory, for tests that read what it wrote. */
import type { CallLine, RecordLine } from "../../packages/recorder/src/lines.ts";
import { createRecorder, type Recorder, type RecorderOptions } from "../../packages/recorder/src/recorder.ts";

export interface Held {
  readonly recorder: Recorder;
  readonly errors: unknown[];
  readonly lines: () => Promise<RecordLine[]>;
  readonly calls: () => Promise<CallLine[]>;
}

export function hold(options: RecorderOptions = {}): Held {
  const written: RecordLine[] = [];
  const errors: unknown[] = [];
  const sink = {
    write: (lines: readonly string[]): Promise<void> => {
      written.push(...lines.map((line) => JSON.parse(line) as RecordLine));
      return Promise.resolve();
    },
  };
  const recorder = createRecorder({ to: sink, onError: (error) => errors.push(error), ...options });
  const lines = async (): Promise<RecordLine[]> => {
    await recorder.flush();
    return written;
  };
  const calls = async (): Promise<CallLine[]> => (await lines()).filter((line) => line.limbeck === "call");
  return { recorder, errors, lines, calls };
}
