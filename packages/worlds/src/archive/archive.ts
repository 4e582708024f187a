/**
 * Archive: a question, and a library in which one page holds the answer. What is closed shows its caption only; each
 * look inside costs a step. The shape of LongVideo-R1's task (a tree of captions, coarse to fine), in text.
 */
import { createRng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { scored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import { endlessSplits } from "limbeck-core/env/drawn-tasks";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import { numberedTasks } from "limbeck-core/env/task-file";
import { drawLibrary, sizes, type Library, type LibrarySize, type LibraryNode } from "./library.ts";

export interface ArchiveOptions {
  /** Seed of the libraries. Default: 1. */
  readonly seed?: number;
  /** Default: "tiny". */
  readonly size?: LibrarySize;
}

const ID = "archive";
export const ARCHIVE_SUMMARY = "Find the page that answers a question, by captions that leave things out.";

/**
 * A library of generated pages, in which the answer to a question is found by opening and going up.
 *
 * @example
 * for await (const { goal } of createArchive({ seed: 1 }).tasks("train", { count: 1 })) console.log(goal); // Who was the ferry keeper of Tornor?
 */
export function createArchive({ seed = 1, size = "tiny" }: ArchiveOptions = {}): Env {
  const dial = lookUp(sizes, size, "archive size");
  const { width } = dial;
  /** Enough to open every place once and come back, and to answer. */
  const maxSteps = 2 * (width + width ** 2 + width ** 3) + 1;
  const libraryOf = (split: string, index: number): Library =>
    drawLibrary(dial, createRng(seed).split(`${ID} ${size} ${split} ${index}`));
  return {
    id: ID,
    summary: ARCHIVE_SUMMARY,
    maxSteps,
    splits: endlessSplits,
    tasks: (split, range) =>
      numberedTasks(ID, endlessSplits, split, range, (index) => {
        const goal = libraryOf(split, index).question;
        return { id: `${ID}/${size}/${seed}/${split}/${index}`, env: ID, seed, goal, split, data: { index } };
      }),
    open: async (task, { signal } = {}) => {
      throwIfAborted(signal);
      return Promise.resolve(openEpisode(task, libraryOf(task.split, indexOf(task)), maxSteps));
    },
  };
}

interface Stand {
  /** From the root to the open place. */
  readonly path: readonly LibraryNode[];
  /** The number that was opened at each level. */
  readonly numbers: readonly number[];
  readonly steps: number;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
}

function openEpisode(task: Task, library: Library, maxSteps: number): Episode {
  const start: Stand = { path: [library.root], numbers: [], steps: 0, ending: undefined, success: null };
  const reward = ({ success }: Stand): Score => scored(success === true ? 1 : 0);
  return episodeOf(task, start, {
    observation: (stand) => shown(library, stand),
    stateKey: ({ ending, numbers, success }) => (ending === undefined ? `at ${numbers.join(".")}` : `ended ${success}`),
    ending: ({ ending }) => ending,
    reward,
    success: ({ success }) => success,
    admissible: (stand) => (stand.ending === undefined ? listActions(stand) : []),
    irreversible: ({ ending }, action) => ending === undefined && answerOf(action) !== undefined,
    step: (before, action) => {
      const next = follow(library, before, action);
      const taken: Stand = { ...(next ?? before), steps: before.steps + 1 };
      const late = taken.ending === undefined && taken.steps >= maxSteps;
      const state: Stand = late ? { ...taken, ending: "truncated", success: false } : taken;
      const parts = { read: Number(state.path.length > before.path.length) };
      return { state, valid: next !== undefined, reward: reward(state), info: { parts } };
    },
  });
}

function listActions({ path }: Stand): string[] {
  const here = path.at(-1);
  const opens = (here?.children ?? []).map((_, at) => `open ${at + 1}`);
  return [...opens, ...(here?.names ?? []).map((name) => `answer ${name}`), ...(path.length > 1 ? ["up"] : [])];
}

function follow(library: Library, stand: Stand, action: string): Stand | undefined {
  const { path, numbers } = stand;
  if (action === "up") {
    return path.length === 1 ? undefined : { ...stand, path: path.slice(0, -1), numbers: numbers.slice(0, -1) };
  }
  const answer = answerOf(action);
  if (answer !== undefined) {
    return { ...stand, ending: "terminated", success: answer.toLowerCase() === library.answer.toLowerCase() };
  }
  const number = /^open (\d{1,3})$/.exec(action)?.[1];
  const child = number === undefined ? undefined : path.at(-1)?.children[Number(number) - 1];
  if (child === undefined) return undefined;
  return { ...stand, path: [...path, child], numbers: [...numbers, Number(number)] };
}

function answerOf(action: string): string | undefined {
  const answer = action.startsWith("answer ") ? action.slice("answer ".length).trim() : "";
  return answer === "" ? undefined : answer;
}

function shown({ question }: Library, { path, ending, success }: Stand): string {
  if (ending === "terminated") return success === true ? "That is right." : "That is wrong.";
  const here = path.at(-1) as LibraryNode;
  const below = here.children.map(({ caption }, at) => `${at + 1}: ${caption}`);
  return [
    `Question: ${question}`,
    `You look at ${here.caption}.`,
    ...below,
    ...(here.text === "" ? [] : [here.text]),
  ].join("\n");
}

function indexOf(task: Task): number {
  const index = task.data?.["index"];
  if (task.env === ID && typeof index === "number" && Number.isInteger(index) && index >= 0) return index;
  throw new EngineError(
    "bad-task",
    `Task "${task.id}" is no archive question: data needs an index, whole and at least 0.`,
  );
}
