/** An episode around another: what it shows and allows follows from a state of its own, which a copy takes along. */
import { episodeClosed, episodeEnded } from "../env/episode-error.ts";
import type { Episode, StepResult } from "../env/env.ts";
import { wrapEpisode } from "../env/wrap.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Ending, Task } from "limbeck-base/trajectory/trajectory";

type Given = Parameters<Episode["step"]>[1];

/** What a layer makes of the world beneath it in one state. Where a rule is missing the world's own word stands. */
export interface Layer<State> {
  readonly observation: (state: State) => string;
  readonly stateKey: (state: State) => string;
  readonly ending: (state: State) => Ending | undefined;
  readonly reward?: (state: State) => Episode["reward"];
  readonly failure?: (state: State) => Episode["failure"];
  /** Whether an action is final, where the world can say so of its own. */
  readonly isFinal: (
    state: State,
    action: string,
    own: NonNullable<Episode["irreversible"]>,
  ) => boolean | Promise<boolean>;
  /** Before the end. */
  readonly admissible: (state: State) => readonly string[] | undefined;
  /** The state after an action, and what its result says beyond the layer's own word. */
  readonly step: (state: State, action: string, given: Given) => Promise<Layered<State>>;
}

export interface Layered<State> extends Pick<Partial<StepResult>, "reward" | "valid" | "info"> {
  readonly state: State;
}

/** `over` makes the layer of each copy of the world. */
export function withLayer<State>(
  inner: Episode,
  task: Task,
  start: State,
  over: (inner: Episode) => Layer<State>,
): Episode {
  const layer = over(inner);
  let state = start;
  let closed = false;
  const ending = (): Ending | undefined => layer.ending(state);
  const success = (): boolean | null => (ending() === undefined ? inner.success : (inner.success ?? false));
  return wrapEpisode(inner, {
    task,
    get observation() {
      return layer.observation(state);
    },
    get stateKey() {
      return layer.stateKey(state);
    },
    get ending() {
      return ending();
    },
    get reward() {
      return layer.reward === undefined ? inner.reward : layer.reward(state);
    },
    get success() {
      return success();
    },
    get failure() {
      return layer.failure === undefined ? inner.failure : layer.failure(state);
    },
    get irreversible() {
      const { irreversible: own } = inner;
      return own === undefined ? undefined : (action: string) => layer.isFinal(state, action, own);
    },
    admissible: () => (ending() === undefined ? layer.admissible(state) : []),
    step: async (action, given) => {
      if (closed) throw episodeClosed(task);
      const end = ending();
      if (end !== undefined) throw episodeEnded(task, end);
      const { state: next, reward = scored(0), valid = true, ...result } = await layer.step(state, action, given);
      state = next;
      const shown = { observation: layer.observation(state), reward, valid };
      return { ...shown, ...result, ending: ending(), success: success() };
    },
    fork: async () => withLayer(await inner.fork(), task, state, over),
    close: async () => {
      closed = true;
      await inner.close();
    },
  });
}
