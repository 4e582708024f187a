/**
 * Context management as an action (CAT): beside the world's actions the policy may call `condense: TEXT`. The context is
 * then opened anew with the task and that text, and the episode goes on; the world is not stepped. The call is a step
 * of its own, so that its tokens are trained like any other.
 *
 * After CAT (Context as a Tool: Context Management for Long-Horizon SWE-Agents). Differs: what is kept is what the policy
 * wrote in the call itself, and no recent turns are kept beside it.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { ActionForm } from "./action-form.ts";
import { withGuidance, type Prompter, type Prompting } from "./prompter.ts";

export interface ContextActionOptions {
  /** What the call begins with. Default: "condense:". */
  readonly call?: string;
}

/**
 * Prompts in which the policy may condense its context.
 *
 * @example
 * import { plainForm } from "limbeck/search";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * const { next } = contextAction()(task, plainForm).show(moment).next.hear("condense: the cup is on the shelf");
 * console.log(next.show(moment).message.text.split("\n")[2]); // So far: the cup is on the shelf
 */
export function contextAction({ call = "condense:" }: ContextActionOptions = {}): Prompting {
  if (call.trim() === "") throw new EngineError("bad-option", "The context action needs a name that is not empty.");
  return (task, form: ActionForm) => {
    const make = (opened: boolean, condensed: string | undefined, observation: string): Prompter => ({
      show: (moment) => {
        const { guidance } = moment;
        const fresh = !opened || condensed !== undefined;
        const base =
          condensed === undefined
            ? moment.observation
            : `Your task: ${task.goal}\n\nSo far: ${condensed}\n\nNow\n${moment.observation}`;
        return {
          message: { kind: fresh ? "fresh" : "append", text: withGuidance(base, guidance), base },
          next: make(true, undefined, moment.observation),
        };
      },
      hear: (answer) => {
        const decision = form.read(answer);
        if (!decision.readable || !decision.action.startsWith(call))
          return { decision, next: make(true, undefined, "") };
        const text = decision.action.slice(call.length).trim();
        return { decision: { ...decision, internal: { observation } }, next: make(true, text, observation) };
      },
    });
    return make(false, undefined, "");
  };
}
