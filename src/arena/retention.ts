/**
 * Is the skill still needed? The trained policy plays held-out tasks several times, skills are written from that, and
 * the same tasks are played once more with the skill in the prompt and once without. What was distilled needs no skill:
 * then the two are close. The starting model with the same skills shows what they were worth at the beginning.
 */
import type { Env } from "../env/index.ts";
import { evaluateAgent, figureOf } from "../eval/evaluate.ts";
import type { Dialect } from "../policy/index.ts";
import type { LocalModel } from "../policy/local/index.ts";
import { analyseEpisodes } from "../update/analyse-episodes.ts";
import { agentFor, tellingSkills, type FamilySkills } from "../update/agent.ts";
import { skillsByTask } from "../update/probe.ts";
import type { Settings } from "../update/settings.ts";
import { createStrategy } from "../rollout/index.ts";
import { rollOut } from "../walk/index.ts";
import type { Analyst } from "../skill/index.ts";
import type { Task } from "../trajectory/index.ts";
import type { RetentionLine } from "./journal.ts";

export interface RetentionRequest {
  readonly env: Env;
  readonly tasks: readonly Task[];
  readonly model: LocalModel;
  readonly start: LocalModel;
  readonly dialect: Dialect;
  readonly settings: Settings;
  /** Skills that the policy always has in its prompts; where there are any, they are the ones that count. */
  readonly skills: FamilySkills;
  readonly analyst: Analyst;
  readonly temperature: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

export async function measureRetention(request: RetentionRequest): Promise<Retention> {
  return await (Object.keys(request.skills).length > 0 ? ofStandingSkills(request) : ofFreshSkills(request));
}

/** Episodes of a task that skills are written from: the same for every arm, whatever its recipe plays in an update. */
const EPISODES = 8;

type Retention = Omit<RetentionLine, "kind" | "update">;

async function ofStandingSkills(request: RetentionRequest): Promise<Retention> {
  const { env, tasks, dialect, settings, temperature, signal } = request;
  const successOf = async (model: LocalModel, skills: FamilySkills): Promise<number> => {
    const agent = agentFor({ model, dialect, settings }, { temperature, tell: tellingSkills(skills) });
    const { evaluation } = await evaluateAgent({ env, agent, tasks, seed: `${request.seed} retention`, signal });
    return figureOf(evaluation, "Retention");
  };
  return {
    tasks: tasks.length,
    withSkill: await successOf(request.model, request.skills),
    withoutSkill: await successOf(request.model, {}),
    startWithSkill: await successOf(request.start, request.skills),
    startWithoutSkill: await successOf(request.start, {}),
  };
}

async function ofFreshSkills(request: RetentionRequest): Promise<Retention> {
  const { env, tasks, model, start, dialect, settings, analyst, temperature, signal } = request;
  const seed = `${request.seed} retention`;
  const { trajectories: episodes } = await rollOut({
    env,
    agent: agentFor({ model, dialect, settings }, { temperature: 1 }),
    tasks,
    strategy: createStrategy("group", { size: EPISODES }),
    seed: `${seed} groups`,
    signal,
  });
  const maxStepSkills = Number(settings["stepSkills"] ?? 0);
  const analyses = await analyseEpisodes(analyst, episodes, { maxStepSkills, signal });
  const skills = skillsByTask(episodes, analyses);
  const skilled = [...skills.values()].map(({ task }) => task);
  const successOf = async (policy: LocalModel, withSkill: boolean): Promise<number> => {
    if (skilled.length === 0) return Number.NaN;
    const tell = (task: Task): string | undefined => (withSkill ? skills.get(task.id)?.skill : undefined);
    const agent = agentFor({ model: policy, dialect, settings }, { temperature, tell });
    const { evaluation } = await evaluateAgent({ env, agent, tasks: skilled, seed, signal });
    return figureOf(evaluation, `Retention ${withSkill ? "with" : "without"} a skill`);
  };
  return {
    tasks: skilled.length,
    withSkill: await successOf(model, true),
    withoutSkill: await successOf(model, false),
    startWithSkill: await successOf(start, true),
    startWithoutSkill: await successOf(start, false),
  };
}
