/** A world that is a table of branches, and an agent that follows a script: small enough to work out by hand. */
import { EngineError } from "../../packages/base/src/base/errors.ts";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import type { Agent, Mind } from "../../packages/core/src/walk/mind/agent.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Ending, Task } from "../../packages/base/src/trajectory/trajectory.ts";

/** Actions to what they lead to; a number is an end with that reward. */
export interface TinyTree {
  readonly [action: string]: TinyTree | number;
}

export interface TinyOptions {
  /** The state that a path leads to, for worlds in which ways meet. Default: the path itself. */
  readonly stateOf?: (path: string) => string;
  readonly canFork?: boolean;
  /** What a path shows in the world that was opened as the so-manieth. */
  readonly observationOf?: (path: string, opened: number) => string;
  /** Default: 8. */
  readonly maxSteps?: number;
}

export const tinyTask: Task = { id: "tiny", env: "tiny", seed: 1, goal: "Find the best end.", split: "test" };

export function createTinyWorld(tree: TinyTree, options: TinyOptions = {}): Env {
  const { maxSteps = 8 } = options;
  let opened = 0;
  return {
    id: "tiny",
    summary: "A table of branches.",
    maxSteps,
    splits: { test: 1 },
    tasks: () => [tinyTask],
    open: async () => {
      opened += 1;
      return openTiny(tree, { ...options, maxSteps }, { path: [], steps: 0, number: opened });
    },
  };
}

interface TinyState {
  readonly path: readonly string[];
  readonly steps: number;
  /** Which of the worlds that were opened it is. */
  readonly number: number;
}

function openTiny(tree: TinyTree, options: TinyOptions & { readonly maxSteps: number }, start: TinyState): Episode {
  const { stateOf = (path) => path, canFork = true, observationOf = (path) => `at ${path}`, maxSteps } = options;
  let state = start;
  let closed = false;
  const place = (): TinyTree | number => {
    let at: TinyTree | number = tree;
    for (const action of state.path) if (typeof at !== "number") at = at[action] ?? at;
    return at;
  };
  const ending = (): Ending | undefined =>
    typeof place() === "number" ? "terminated" : state.steps >= maxSteps ? "truncated" : undefined;
  const value = (): number => {
    const at = place();
    return typeof at === "number" ? at : 0;
  };
  const success = (): boolean | null => (ending() === undefined ? null : value() >= 1);
  const observation = (): string => observationOf(state.path.join(""), state.number);
  const actions = (): readonly string[] => {
    const at = place();
    return typeof at === "number" ? [] : Object.keys(at);
  };
  return {
    task: tinyTask,
    get observation() {
      return observation();
    },
    get stateKey() {
      return stateOf(state.path.join(""));
    },
    get ending() {
      return ending();
    },
    get reward() {
      return scored(value());
    },
    get success() {
      return success();
    },
    admissible: actions,
    step: async (action) => {
      if (closed || ending() !== undefined) throw new EngineError("episode-ended", "The tiny world is over.");
      const valid = actions().includes(action);
      state = { ...state, path: valid ? [...state.path, action] : state.path, steps: state.steps + 1 };
      const reward = scored(valid ? value() : 0);
      return { observation: observation(), reward, valid, ending: ending(), success: success() };
    },
    fork: async () => {
      if (!canFork) throw new EngineError("cannot-fork", "The tiny world cannot be copied.");
      return openTiny(tree, options, state);
    },
    close: async () => {
      closed = true;
    },
  };
}

/** What is said at an observation; `label` tells the answers asked for at one node apart: "0", "1", "walk 2". */
export type TinyScript = (observation: string, label: string, guidance: string | undefined) => string;

/** Every answer costs one call and one token, and reads ten. */
export function createTinyAgent(script: TinyScript): Agent {
  const mind = (start: { observation: string; label: string; guidance: string | undefined }): Mind => {
    const state = { ...start };
    let imposed: string | undefined;
    const copy = (label: string, guidance?: string): Mind => mind({ ...state, label, guidance });
    return {
      read: ({ observation, guidance }) => {
        Object.assign(state, { observation, guidance });
      },
      speak: async () => ({ tokens: 1, modelCalls: 1, ended: true, full: false }),
      impose: (action) => {
        imposed = action;
      },
      decide: () => {
        const action = imposed ?? script(state.observation, state.label, state.guidance);
        imposed = undefined;
        return { action, readable: true };
      },
      said: 0,
      sharedTokens: 0,
      promptTokens: () => 10,
      context: () => new Int32Array(),
      streams: () => [],
      answer: () => undefined,
      fork: (label) => copy(label),
      branch: ({ guidance }, seed) => copy(seed, guidance),
      close: () => undefined,
    };
  };
  return {
    ref: { name: "tiny" },
    exact: false,
    answerTokens: 1,
    begin: () => mind({ observation: "", label: "", guidance: undefined }),
  };
}

/** Says "a" to the first asking at a node, "b" to the second, and so on; walks on with "a". */
export function inTurn(actions: readonly string[]): TinyScript {
  return (_observation, label) => actions[/^\d+$/.test(label) ? Number(label) % actions.length : 0] ?? "";
}
