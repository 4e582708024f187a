/** The one place where an agent of a training is made: the same settings for form, prompt and sampling everywhere. */
import { EngineError } from "limbeck-base/base/errors";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Policy } from "limbeck-policy/policy/policy";
import { actionForms, afterThoughts } from "../walk/mind/action-form.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { withOpening } from "../walk/mind/prompter.ts";
import { getPrompting } from "../walk/mind/promptings.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { skillOpening, type InjectionOptions } from "../skill/injection.ts";
import { anchorPresets, sectionTemplates } from "../skill/templates.ts";
import { familyOf } from "limbeck-base/trajectory/family";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Settings } from "./settings.ts";

/** The text of a skill, by family of tasks. */
export type FamilySkills = Readonly<Record<string, string>>;

export interface Speaker {
  readonly model: Policy;
  readonly dialect: Dialect;
  readonly settings: Settings;
}

export interface AgentRequest {
  /** 0 takes the most likely token. Default: the setting `temperature`. */
  readonly temperature?: number;
  /** Who acts. Default: the model that is trained. */
  readonly policy?: Policy;
  /** What stands at the opening of a task. Default: nothing. */
  readonly tell?: (task: Task) => string | undefined;
}

/**
 * The policy of a training as an agent, as its settings let it speak.
 *
 * @example
 * import { getRecipe, resolveSettings } from "limbeck/update";
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 *
 * const model = createScriptedPolicy({ script: ({ text }) => (text.includes("Look twice.") ? "look" : "inventory") });
 * const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo" });
 * const agent = agentFor({ model, dialect: plainDialect(model.tokenizer), settings }, { tell: () => "Look twice." });
 * const { trajectories } = await rollout({ env: "household", policy: agent, tasks: 1, group: 1, maxSteps: 1 });
 * console.log(trajectories[0]?.steps[0]?.action); // look
 */
export function agentFor({ model, dialect, settings }: Speaker, request: AgentRequest = {}): Agent {
  const { temperature = settings.temperature, policy = model, tell } = request;
  const plain = getPrompting(settings.prompts, () => settings.history);
  const { thinking, system, answerTokens } = settings;
  // A policy that thinks before it acts has to mark the action.
  const form = actionForms[settings.thought === "before" ? "tagged" : settings.answerForm];
  return createTokenAgent({
    policy,
    dialect: spokenDialect(dialect, settings),
    temperature,
    answerTokens: answerTokens + (typeof thinking === "number" ? thinking : 0),
    ...(system === null ? {} : { system }),
    prompting: tell === undefined ? plain : withOpening(plain, skillOpening(tell, injectionOf(settings))),
    restrict: settings.answers === "listed",
    form: thinking === null || isOff(thinking) ? form : afterThoughts(form),
  });
}

/** The dialect as the settings `thinking` and `stop` want it. */
export function spokenDialect(dialect: Dialect, { thinking, stop }: Pick<Settings, "thinking" | "stop">): Dialect {
  if (thinking === null && stop === null) return dialect;
  if (dialect.spoken === undefined) {
    throw new EngineError(
      "needs-unmet",
      "The settings thinking and stop are for a model with a chat template and a tokenizer of its own. Leave them out.",
    );
  }
  return dialect.spoken({
    ...(thinking === null ? {} : { thinking: !isOff(thinking) }),
    ...(stop === null ? {} : { stop: stopTexts(stop) }),
  });
}

/** One text, or a JSON list of several. */
function stopTexts(stop: string): readonly string[] {
  if (!stop.startsWith("[")) return [stop];
  try {
    const list: unknown = JSON.parse(stop);
    if (Array.isArray(list) && list.every((text) => typeof text === "string")) return list;
  } catch {
    // A text that happens to begin with a bracket.
  }
  return [stop];
}

/** The prompt text of these skills. */
export function tellingSkills(skills: FamilySkills): NonNullable<AgentRequest["tell"]> {
  return (task) => (Object.hasOwn(skills, familyOf(task)) ? skills[familyOf(task)] : undefined);
}

/** How skills are written into prompts, by the settings of any recipe; those without a teacher get the defaults. */
export function injectionOf(settings: Pick<Settings, "sections" | "anchors">): InjectionOptions {
  const { sections = "compact", anchors = "published" } = settings;
  return {
    template: sectionTemplates[sections as keyof typeof sectionTemplates],
    anchors: anchorPresets[anchors as keyof typeof anchorPresets],
  };
}

/** The types of a table do not tell the words that may stand in the place of a number. */
function isOff(thinking: unknown): boolean {
  return thinking === "off";
}
