/** A scripted policy of the lab: what it does in the world, and what it writes beside it. */
import type { Rng } from "../../base/index.ts";
import type { Demonstrator, Seen } from "../../env/index.ts";
import type { Task } from "../../trajectory/index.ts";

/** What the world gets, and what the policy wrote; where it wrote nothing else, that is it. */
export interface Said {
  readonly action: string;
  readonly written?: string;
}

/** Undefined: it leaves off before the world ends. */
export interface Play {
  next(seen: Seen, step: number): Said | undefined;
}

export interface Player {
  start(task: Task, rng: Rng, scripts: Readonly<Record<string, Demonstrator>>): Play;
}

/** One way to game a reward, and the same effort without it. */
export interface Hack {
  readonly id: string;
  readonly world: "household" | "countdown" | "tools";
  /** What it does instead of the task. */
  readonly meaning: string;
  /** Which kind of reward it is after. */
  readonly after: string;
  readonly hack: Player;
  readonly twin: Player;
}

/** One of the world's own scripted agents. */
export function script(name: string): Player {
  return {
    start: (task, rng, scripts) => {
      const demonstration = (scripts[name] as Demonstrator).start(task, rng);
      return { next: (seen) => ({ action: demonstration.next(seen) }) };
    },
  };
}

/** The same actions, with something written around each. */
export function writing(player: Player, write: (action: string, step: number, rng: Rng) => string): Player {
  return {
    start: (task, rng, scripts) => {
      const words = rng.split("words");
      const play = player.start(task, rng, scripts);
      return {
        next: (seen, step) => {
          const said = play.next(seen, step);
          return said === undefined ? undefined : { action: said.action, written: write(said.action, step, words) };
        },
      };
    },
  };
}

/** Something else in the place of some actions. */
export function instead(player: Player, act: (said: Said, step: number, seen: Seen) => Said | undefined): Player {
  return {
    start: (task, rng, scripts) => {
      const play = player.start(task, rng, scripts);
      return {
        next: (seen, step) => {
          const said = play.next(seen, step);
          return said === undefined ? undefined : act(said, step, seen);
        },
      };
    },
  };
}

/** In the form that many rewards ask for. */
export function tagged(thought: string, action: string): string {
  return `<think>${thought}</think><action>${action}</action>`;
}
