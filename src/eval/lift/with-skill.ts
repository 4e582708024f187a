/** Agents with a skill in their prompt. */
import type { Prompter, Prompting } from "../../rollout/index.ts";
import { augmentObservation, type InjectionOptions } from "../../skill/index.ts";
import type { Task } from "../../trajectory/index.ts";

/** The skill stands in the first message only. */
export function withSkill(inner: Prompter, episodeSkill: string, injection: InjectionOptions): Prompter {
  return {
    show: (moment) => {
      const observation =
        moment.step === 0 ? augmentObservation(moment.observation, { episodeSkill }, injection) : moment.observation;
      const { message, next } = inner.show({ ...moment, observation });
      return { message, next: withSkill(next, episodeSkill, injection) };
    },
    hear: (answer) => {
      const { decision, next } = inner.hear(answer);
      return { decision, next: withSkill(next, episodeSkill, injection) };
    },
  };
}

/** The same prompting with the text that a task gets; plain where it gets none. */
export function skilledPrompting(
  prompting: Prompting,
  textFor: (task: Task) => string | undefined,
  injection: InjectionOptions,
): Prompting {
  return (task, form) => {
    const text = textFor(task);
    return text === undefined ? prompting(task, form) : withSkill(prompting(task, form), text, injection);
  };
}
