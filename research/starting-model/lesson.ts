/** One episode to clone: what the agent reads before each decision, what it does, and which decisions are learnt. */
import type { Env, Episode, Task } from "limbeck";
import type { Seen } from "limbeck/env";
import { augmentObservation } from "../../packages/core/src/skill/injection.ts";
import { sectionTemplates } from "limbeck/skill";

export interface Decision {
  /** The message before the decision, with its advice. */
  readonly message: string;
  readonly action: string;
  /** False for slips: what follows shows how to find back, the slip itself is not learnt. */
  readonly learnt: boolean;
}

export interface Lesson {
  readonly kind: LessonKind;
  readonly decisions: readonly Decision[];
  readonly success: boolean;
}

export const lessonKinds = ["unadvised", "workflow", "general", "avoidance", "hints", "misleading", "idle"] as const;
export type LessonKind = (typeof lessonKinds)[number];

export interface Choice {
  readonly action: string;
  readonly learnt?: boolean;
  readonly hint?: string;
  /** Ends the lesson before this decision. */
  readonly stop?: boolean;
}

export function advise(observation: string, episodeSkill: string | undefined, stepSkill: string | undefined): string {
  if (episodeSkill === undefined && stepSkill === undefined) return observation;
  return augmentObservation(observation, { episodeSkill, stepSkill }, { template: sectionTemplates.compact });
}

/** Plays the game by the choices; the skill stands in the opening, a hint in the message of its own decision. */
export async function playLesson(
  env: Env,
  task: Task,
  kind: LessonKind,
  options: {
    readonly skill?: string | undefined;
    readonly choose: (seen: Seen, episode: Episode, step: number) => Choice;
  },
): Promise<Lesson> {
  const episode = await env.open(task);
  const decisions: Decision[] = [];
  let last: string | undefined;
  while (episode.ending === undefined) {
    const { observation } = episode;
    const step = decisions.length;
    const choice = options.choose({ action: last, observation, admissible: episode.admissible() }, episode, step);
    if (choice.stop === true) break;
    const message = advise(observation, step === 0 ? options.skill : undefined, choice.hint);
    decisions.push({ message, action: choice.action, learnt: choice.learnt ?? true });
    last = choice.action;
    await episode.step(last);
  }
  return { kind, decisions, success: episode.success === true };
}
