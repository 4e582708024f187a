/** Draft: write a note, see what it scores, revise it line by line, and send it while it is at its best. */
import { scored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import { drawnEnv } from "limbeck-core/env/drawn-tasks";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import {
  drawNote,
  LENGTHS,
  levels,
  mostPoints,
  noteKey,
  pointsOf,
  remark,
  writeNote,
  type Length,
  type NoteLevelId,
  type Note,
} from "./note.ts";

export interface DraftOptions {
  /** Seed of the notes. Default: 1. */
  readonly seed?: number;
  /** Lines of a note: 3, 4 or 5. Default: "small". */
  readonly level?: NoteLevelId;
}

export const DRAFT_SUMMARY = "Write a note, see its score, revise it, and stop in time.";

/** What each round costs at the end that did not raise the score above its best. */
const IDLE_COST = 0.05;
/** A note that was sent is a success with at most so many of them. */
const MOST_IDLE = 2;

/**
 * Notes to readers whose taste shows in the score of each draft.
 *
 * @example
 * for await (const { goal } of createDraft({ seed: 1 }).tasks("train", { count: 1 })) console.log(goal); // Write a note to Rowan, a lonely teacher, about the boat race. Send it when it is at its best.
 */
export function createDraft({ seed = 1, level = "small" }: DraftOptions = {}): Env {
  return drawnEnv({
    id: "draft",
    summary: DRAFT_SUMMARY,
    maxSteps: stepsFor(levels[level].length),
    seed,
    dial: level,
    draw: drawNote,
    key: noteKey,
    goal: ({ reader, facts }) => `Write a note to ${reader}, about ${facts["event"]}. Send it when it is at its best.`,
    open: openNote,
  });
}

/** Each line may be moved twice; one step for the first draft, one to send, and two to spare. */
function stepsFor(lines: number): number {
  return 2 * lines + 4;
}

interface Desk {
  /** Undefined before the first draft. */
  readonly lengths: readonly Length[] | undefined;
  readonly best: number;
  readonly idle: number;
  readonly steps: number;
  readonly ending: Ending | undefined;
}

export function openNote(task: Task, note: Note): Episode {
  const most = mostPoints(note);
  const qualityOf = ({ lengths }: Desk): number => (lengths === undefined ? 0 : pointsOf(note, lengths) / most);
  const isSent = ({ ending }: Desk): boolean => ending === "terminated";
  // In hundredths, so that the reward is the number in the text.
  const worth = (desk: Desk): number =>
    isSent(desk) ? Math.max(0, Math.round(100 * (qualityOf(desk) - IDLE_COST * desk.idle))) / 100 : 0;
  const reward = (desk: Desk): Score => scored(worth(desk));
  const start: Desk = { lengths: undefined, best: 0, idle: 0, steps: 0, ending: undefined };
  return episodeOf(task, start, {
    observation: (desk) => shown(task, note, desk, qualityOf(desk), worth(desk)),
    stateKey: ({ lengths, best, idle, ending }) =>
      `${lengths?.join(" ") ?? "blank"}, best ${best}, idle ${idle}${ending === undefined ? "" : `, ${ending}`}`,
    ending: ({ ending }) => ending,
    reward,
    success: (desk) =>
      desk.ending === undefined ? null : isSent(desk) && qualityOf(desk) === 1 && desk.idle <= MOST_IDLE,
    admissible: (desk) => (desk.ending === undefined ? listActions(note, desk) : []),
    irreversible: ({ ending, lengths }, action) => ending === undefined && lengths !== undefined && action === "stop",
    step: (before, action) => {
      const valid = listActions(note, before).includes(action);
      const next = valid ? follow(note, before, action) : before;
      const steps = before.steps + 1;
      const isLate = next.ending === undefined && steps >= stepsFor(note.lines.length);
      const state: Desk = { ...next, steps, ...(isLate ? { ending: "truncated" } : {}) };
      const parts = {
        quality: qualityOf(state),
        raised: Number(state.best > before.best),
        idle: Number(state.idle > before.idle),
      };
      return { state, valid, reward: reward(state), info: { parts } };
    },
  });
}

function listActions({ lines }: Note, { lengths }: Desk): string[] {
  if (lengths === undefined) return LENGTHS.map((length) => `draft ${length}`);
  const changes = lines.flatMap((line, at) =>
    LENGTHS.filter((length) => length !== lengths[at]).map((length) => `${line} ${length}`),
  );
  return [...changes, "stop"];
}

/** One of the listed actions. */
function follow(note: Note, desk: Desk, action: string): Desk {
  if (action === "stop") return { ...desk, ending: "terminated" };
  const [first, length] = action.split(" ") as [string, Length];
  const lengths = note.lines.map((line, at) =>
    desk.lengths === undefined || line === first ? length : desk.lengths[at],
  );
  const points = pointsOf(note, lengths as Length[]);
  // The first draft has nothing before it that it could fail to beat.
  const isIdle = desk.lengths !== undefined && points <= desk.best;
  return {
    ...desk,
    lengths: lengths as Length[],
    best: Math.max(desk.best, points),
    idle: desk.idle + Number(isIdle),
  };
}

function shown(task: Task, note: Note, desk: Desk, quality: number, worth: number): string {
  const { lengths, ending } = desk;
  if (ending === "terminated") return `The note is sent. It is worth ${worth.toFixed(2)}.`;
  if (ending === "truncated") return "The post has gone without your note.";
  if (lengths === undefined) {
    return `${task.goal}\nLines: ${note.lines.join(", ")}. Begin with draft ${LENGTHS.join(", draft ")}.`;
  }
  return [
    `The note to ${note.reader}:`,
    writeNote(note, lengths),
    `Score ${quality.toFixed(2)}. The reader: ${remark(note, lengths, task.id)}`,
  ].join("\n");
}
