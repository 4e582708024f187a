/** The one place where an agent of a training is made: whoever acts speaks, answers and is prompted by the same settings. */
import type { Dialect } from "../policy/dialect.ts";
import type { Policy } from "../policy/policy.ts";
import { actionForms } from "../walk/mind/action-form.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { appendOnly, withOpening } from "../walk/mind/prompter.ts";
import { rebuiltPrompts } from "../walk/mind/rebuilt-prompts.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { skillOpening, type InjectionOptions } from "../skill/injection.ts";
import { anchorPresets, sectionTemplates } from "../skill/templates.ts";
import { familyOf } from "../trajectory/family.ts";
import type { Task } from "../trajectory/trajectory.ts";
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
 * import { getRecipe, resolveSettings } from "limbeck/recipe";
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 *
 * const model = createScriptedPolicy({ script: ({ text }) => (text.includes("Look twice.") ? "look" : "inventory") });
 * const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo" });
 * const agent = agentFor({ model, dialect: plainDialect(model.tokenizer), settings }, { tell: () => "Look twice." });
 * const { trajectories } = await rollout({ env: "household", policy: agent, tasks: 1, group: 1, maxSteps: 1 });
 * console.log(trajectories[0]?.steps[0]?.action); // look
 */
export function agentFor({ model, dialect, settings }: Speaker, request: AgentRequest = {}): Agent {
  const { temperature = settings.temperature, policy = model, tell } = request;
  const plain = settings["prompts"] === "rebuilt" ? rebuiltPrompts({ turns: 0 }) : appendOnly;
  return createTokenAgent({
    policy,
    dialect,
    temperature,
    answerTokens: settings.answerTokens,
    prompting: tell === undefined ? plain : withOpening(plain, skillOpening(tell, injectionOf(settings))),
    restrict: settings["answers"] === "listed",
    // A policy that thinks before it acts has to mark the action.
    form: settings["thought"] === "before" ? actionForms.tagged : actionForms.plain,
  });
}

/** What an agent with these skills is told. */
export function tellingSkills(skills: FamilySkills): NonNullable<AgentRequest["tell"]> {
  return (task) => (Object.hasOwn(skills, familyOf(task)) ? skills[familyOf(task)] : undefined);
}

/** How skills are written into prompts, by the settings of any recipe; those without a teacher get the defaults. */
export function injectionOf(settings: Readonly<Record<string, unknown>>): InjectionOptions {
  const { sections = "compact", anchors = "published" } = settings;
  return {
    template: sectionTemplates[sections as keyof typeof sectionTemplates],
    anchors: anchorPresets[anchors as keyof typeof anchorPresets],
  };
}
