/** The ways of prompting by name, as commands and jobs give them. */
import { lookUp } from "../../base/index.ts";
import { contextAction } from "./context-action.ts";
import { memoryPrompts } from "./memory-prompts.ts";
import { appendOnly, type Prompting } from "./prompter.ts";
import { rebuiltPrompts } from "./rebuilt-prompts.ts";

const promptings: Readonly<Record<string, (history: () => number) => Prompting>> = {
  append: () => appendOnly,
  rebuilt: (history) => rebuiltPrompts({ turns: history() }),
  memory: () => memoryPrompts(),
  context: () => contextAction(),
};

/**
 * `history` says how many turns a rebuilt prompt shows; for the others it is not asked.
 *
 * @example
 * import { plainForm } from "limbeck/walk";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * console.log(getPrompting("append", () => 0)(task, plainForm).show(moment).message.text); // You see a shelf.
 */
export function getPrompting(name: string, history: () => number): Prompting {
  return lookUp(promptings, name, "kind of prompts")(history);
}
