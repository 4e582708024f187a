/**
 * Rewritten memory (MemSearcher): the policy sees the question, a compact memory that it wrote itself, and this turn;
 * nothing else of the past. Every turn is a context of its own, exact in its tokens, so the prompt stays short however
 * long the episode is.
 *
 * After MemSearcher (Training LLMs to Reason, Search and Manage Memory via End-to-End Reinforcement Learning). The answer holds `<memory>…</memory>` beside the action; one without it leaves
 * the memory as it was.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { ActionForm } from "./action-form.ts";
import { withGuidance, type Prompter, type Prompting } from "./prompter.ts";

export interface MemoryOptions {
  /** Longer memories are cut at the end, in characters. Default: 2,000. */
  readonly mostCharacters?: number;
}

const MEMORY = /<memory>([\s\S]*?)<\/memory>/;

/**
 * Prompts of the question, the memory and this turn.
 *
 * @example
 * import { plainForm } from "limbeck/search";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * const { decision, next } = memoryPrompts()(task, plainForm).hear("<memory>The cup is on the shelf.</memory>\ntake cup");
 * console.log(decision.action, next.show(moment).message.text.split("\n")[2]); // take cup Memory: The cup is on the shelf.
 */
export function memoryPrompts({ mostCharacters = 2_000 }: MemoryOptions = {}): Prompting {
  if (!(Number.isInteger(mostCharacters) && mostCharacters >= 1)) {
    throw new EngineError(
      "bad-option",
      `mostCharacters is ${mostCharacters}; it must be a whole number of at least 1.`,
    );
  }
  return (task, form) => {
    const make = (memory: string): Prompter => ({
      show: ({ observation, guidance }) => {
        const known = memory === "" ? "" : `Memory: ${memory}\n\n`;
        const base = `Question: ${task.goal}\n\n${known}${observation}`;
        return { message: { kind: "fresh", text: withGuidance(base, guidance), base }, next: make(memory) };
      },
      hear: (answer) => {
        const written = MEMORY.exec(answer)?.[1]?.trim().slice(0, mostCharacters);
        const decision = readWithout(answer, form);
        if (written === undefined) return { decision, next: make(memory) };
        return { decision: { ...decision, info: { memory: written } }, next: make(written) };
      },
    });
    return make("");
  };
}

/** The action is what is left of the answer, read by its own form. */
function readWithout(answer: string, form: ActionForm): ReturnType<ActionForm["read"]> {
  return form.read(answer.replace(MEMORY, ""));
}
