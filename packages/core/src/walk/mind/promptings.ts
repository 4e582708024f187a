/** The ways of prompting by name, as commands and jobs give them. */
import { lookUp } from "limbeck-base/base/registry";
import { withoutUndefined } from "limbeck-base/base/fields";
import { actionForms, type ActionForm } from "./action-form.ts";
import { contextAction } from "./context-action.ts";
import { memoryPrompts } from "./memory-prompts.ts";
import { appendOnly, rebuiltPrompts, type Prompting } from "./prompter.ts";

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
 * import { plainForm } from "limbeck/search";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * console.log(getPrompting("append", () => 0)(task, plainForm).show(moment).message.text); // You see a shelf.
 */
export function getPrompting(name: string, history: () => number): Prompting {
  return lookUp(promptings, name, "kind of prompts")(history);
}

// Prompting and answer form of an agent, as plain data: from a command line, or in a job for a worker.

export interface Speech {
  /** Name of a prompting. */
  readonly prompts: string;
  /** Turns shown in rebuilt prompts. */
  readonly history: number;
  /** Name of an action form. */
  readonly form: string;
  readonly answerTokens: number;
  /** Confines answers to the actions the world lists; models with tokens only. */
  readonly restrict: boolean;
  readonly system?: string;
  readonly temperature?: number;
}

/** What agents of either kind take of it. */
export interface Spoken {
  readonly prompting: Prompting;
  readonly form: ActionForm;
  readonly answerTokens: number;
  readonly system?: string;
  readonly temperature?: number;
}

/**
 * The prompting and the form that these names stand for.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createTokenAgent } from "limbeck/search";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const speech = { prompts: "rebuilt", history: 2, form: "plain", answerTokens: 16, restrict: false };
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), ...agentSettings(speech) });
 * console.log(agent.answerTokens); // 16
 */
export function agentSettings({ prompts, history, form, answerTokens, system, temperature }: Speech): Spoken {
  return withoutUndefined({
    prompting: getPrompting(prompts, () => history),
    form: lookUp<ActionForm>(actionForms, form, "form"),
    answerTokens,
    system,
    temperature,
  });
}
