/** Playing tasks, wherever that is: in this process, in a thread beside the learning, on a worker of a fleet. */
import type { Demonstrator, Env } from "../env/index.ts";
import type { Dialect, Policy } from "../policy/index.ts";
import {
  actionForms,
  createTokenAgent,
  rebuiltPrompts,
  rollOut,
  type Agent,
  type RollOutOptions,
  type RollOutResult,
} from "../rollout/index.ts";
import { assistantsOf } from "./assistants.ts";
import type { Settings } from "../recipe/settings.ts";
import { promptingWith, type FamilySkills } from "./skill-prompt.ts";
import { injectionOf } from "./teacher-settings.ts";

export interface PlayRequest extends Pick<
  RollOutOptions,
  "tasks" | "strategy" | "prefix" | "episode" | "attempts" | "concurrency" | "signal" | "onProgress"
> {
  readonly env: Env;
  /** Reflects and corrects where the strategy asks for it. */
  readonly demonstrator: Demonstrator | undefined;
  readonly agent: Agent;
  readonly seed: number | string;
  /** Episodes of a task that a pool of peers holds. */
  readonly peers: number;
}

export async function play(request: PlayRequest): Promise<RollOutResult> {
  const { demonstrator, peers, ...options } = request;
  const { env, agent, seed, strategy, episode } = options;
  const needs = strategy.needs ?? [];
  return await rollOut({
    ...options,
    ...assistantsOf({ env, demonstrator, agent, needs, seed: String(seed), peers, episode }),
  });
}

/** The policy as it acts, by the settings of a recipe. */
export function agentWith(
  speaker: { readonly model: Policy; readonly dialect: Dialect; readonly settings: Settings },
  temperature: number,
  skills: FamilySkills = {},
): Agent {
  const { model, dialect, settings } = speaker;
  const answerTokens = Number(settings["answerTokens"]);
  const prompting =
    settings["prompts"] === "rebuilt" ? rebuiltPrompts({ turns: 0 }) : promptingWith(skills, injectionOf(settings));
  const restrict = settings["answers"] === "listed";
  // A policy that thinks before it acts has to mark the action.
  const form = settings["thought"] === "before" ? actionForms.tagged : actionForms.plain;
  return createTokenAgent({ policy: model, dialect, temperature, answerTokens, prompting, restrict, form });
}

/** What a recipe's settings say of an episode. */
export function episodeOf({ maxSteps }: Settings): { readonly episode?: { readonly steps: number } } {
  return typeof maxSteps === "number" ? { episode: { steps: maxSteps } } : {};
}
