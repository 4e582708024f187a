/** How an agent is spoken to and how it answers, as plain data: from a command line, or in a job for a worker. */
import { lookUp, withoutUndefined } from "../../base/index.ts";
import { actionForms, type ActionForm } from "./action-form.ts";
import type { Prompting } from "./prompter.ts";
import { getPrompting } from "./promptings.ts";

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
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 * import { createTokenAgent } from "limbeck/walk";
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
