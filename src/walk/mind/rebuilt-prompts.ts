/** Prompts that are rebuilt for every step, with a bounded history: each step has a context of its own. */
import { EngineError } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import { withGuidance, type Prompter, type Prompting } from "./prompter.ts";

export interface PastTurn {
  /** From 1, as a reader counts. */
  readonly number: number;
  readonly observation: string;
  readonly action: string;
}

export interface RebuiltOptions {
  /** How many of the latest turns are shown. */
  readonly turns: number;
  readonly format?: (task: Task, turns: readonly PastTurn[], observation: string) => string;
}

/**
 * Prompts that show the latest turns.
 *
 * @example
 * import { plainForm } from "limbeck/walk";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * const prompter = rebuiltPrompts({ turns: 1, format: (_, turns) => turns.map(({ action }) => action).join() })(task, plainForm);
 * console.log(prompter.show(moment).next.hear("open drawer").next.show(moment).message.text); // open drawer
 */
export function rebuiltPrompts({ turns: most, format = plainPrompt }: RebuiltOptions): Prompting {
  if (!(Number.isInteger(most) && most >= 0)) {
    throw new EngineError("bad-history", `A history of ${most} turns is not a whole number of at least 0.`);
  }
  return (task, form) => {
    const make = (turns: readonly PastTurn[], count: number, observation: string): Prompter => ({
      show: (moment) => {
        const base = format(task, turns, moment.observation);
        const text = withGuidance(base, moment.guidance);
        return { message: { kind: "fresh", text, base }, next: make(turns, count, moment.observation) };
      },
      hear: (answer) => {
        const decision = form.read(answer);
        const kept = [...turns, { number: count + 1, observation, action: decision.action }];
        return { decision, next: make(most === 0 ? [] : kept.slice(-most), count + 1, observation) };
      },
    });
    return make([], 0, "");
  };
}

/** The goal is in the opening observation, which a bounded history loses; so it is said first. */
function plainPrompt(task: Task, turns: readonly PastTurn[], observation: string): string {
  if (turns.length === 0) return observation;
  const past = turns.map((turn) => `Step ${turn.number}\nYou saw: ${turn.observation}\nYou did: ${turn.action}`);
  return [`Your task: ${task.goal}`, ...past, `Now\n${observation}`].join("\n\n");
}
