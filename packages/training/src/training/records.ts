/** What a training leaves in the store beside its checkpoint, and the writer for trainings that leave nothing there. */
import type { RunWriter } from "limbeck-store/store/store";
import type { Pool } from "limbeck-core/walk/judge";

export interface Records {
  readonly writer: RunWriter;
  /** What an interrupted run has already stored, as `storedKey` names it. */
  readonly stored: ReadonlySet<string>;
  /** What the other runs of the store have of a task, at most so many episodes. */
  readonly pool?: (limit: number) => Pool;
  close(): Promise<void>;
}

export function noRecords(run: string): Records {
  const nothing = (): Promise<void> => Promise.resolve();
  const writer: RunWriter = {
    run,
    append: nothing,
    addReward: nothing,
    addSkill: nothing,
    addMetrics: nothing,
    addEvent: nothing,
    setState: () => undefined,
    commit: nothing,
    close: nothing,
  };
  return { writer, stored: new Set(), close: nothing };
}
