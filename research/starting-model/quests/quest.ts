/** A little world that is made up for one task: its rules are data, what can be known stands in what is shown. */

export interface Quest<State> {
  readonly goal: string;
  readonly start: State;
  /** The first thing shown, beside the goal. */
  readonly opening: string;
  readonly commands: (state: State) => readonly string[];
  /** Undefined: it cannot be done here. */
  readonly act: (state: State, command: string) => Told<State> | undefined;
  readonly ended: (state: State) => "won" | "lost" | undefined;
  /** What one would do who has seen what was shown so far, and no more. */
  readonly best: (state: State) => string;
}

export interface Told<State> {
  readonly state: State;
  readonly text: string;
}

/** Each move of a state: what is said to make it, and what comes of it. */
export interface Move<State> extends Told<State> {
  readonly command: string;
}

/** From a list of the moves that there are. */
export function byMoves<State>(
  moves: (state: State) => readonly Move<State>[],
): Pick<Quest<State>, "commands" | "act"> {
  return {
    commands: (state) => moves(state).map(({ command }) => command),
    act: (state, command) => moves(state).find((move) => move.command === command),
  };
}
