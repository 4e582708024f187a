/**
 * One arm with one seed, in this process: train, measure, write down. It may be killed at any moment; begun again with
 * the same plan it goes on from its last checkpoint, and does nothing where it is over.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, errorCode, isAbort } from "limbeck-base/base/errors";
import { evaluateAgent, figureOf, type Evaluation } from "limbeck-core/eval/evaluate";
import { evaluateSearch } from "limbeck-core/eval/evaluate-search";
import { profileOf } from "limbeck-core/eval/profile";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { tasksOf } from "limbeck-core/update/collect";
import { EARLIER_SETTINGS, flattenSettings, type Settings } from "limbeck-core/update/settings";
import { agentFor, tellingSkills, type FamilySkills } from "limbeck-core/update/agent";
import { train } from "../training/train.ts";
import type { TrainEvent } from "../training/events.ts";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { readRewardPlan } from "limbeck-core/reward/plan-file";
import { createSearch } from "limbeck-core/search/registry";
import type { SearchPlan } from "limbeck-core/walk/tree/search-tasks";
import { rollOut } from "limbeck-core/walk/line/roll-out";
import type { Analyst } from "limbeck-core/skill/skill";
import { openAnalyst } from "limbeck-core/skill/open-analyst";
import { openArmWorld, type ArmWorld } from "./arm-world.ts";
import { endOf } from "./budget.ts";
import {
  isFinished,
  journalFile,
  openJournal,
  type Journal,
  type JournalLine,
  type Measured,
  type Spending,
  type RetentionLine,
} from "./journal.ts";
import { armOf, armSettings, fingerprintOf, type ArenaPlan, type Arm, type ResolvedArm } from "./plan.ts";
import { isTrained } from "./results.ts";
import type { Env } from "limbeck-core/env/env";
import type { Dialect } from "limbeck-policy/policy/dialect";
import { analyseEpisodes } from "limbeck-core/update/analyse-episodes";
import { skillsByTask } from "limbeck-core/update/probe";
import { createStrategy } from "limbeck-core/rollout/registry";
import type { Task } from "limbeck-base/trajectory/trajectory";

export interface RunArmRequest {
  readonly plan: ArenaPlan;
  readonly arm: string;
  readonly seed: number;
  /** The arena's folder. */
  readonly dir: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Gets every line of the journal as it is written. */
  readonly onLine?: (line: JournalLine) => void;
}

export async function runArm(request: RunArmRequest): Promise<void> {
  const { plan, seed, dir } = request;
  const given = armOf(plan, request.arm);
  const journal = await openJournal(journalFile(dir, given.name, seed), request.onLine);
  const started = journal.lines.find(({ kind }) => kind === "start");
  // A run of an earlier version goes on with what it did then.
  const earlier = { ...given, settings: { ...EARLIER_SETTINGS, ...given.settings } };
  const arm =
    [given, earlier].find(
      (one) => started?.kind === "start" && started.fingerprint === fingerprintOf(plan, one, seed),
    ) ?? given;
  const fingerprint = fingerprintOf(plan, arm, seed);
  if (started?.kind === "start" && started.fingerprint !== fingerprint) {
    throw new EngineError(
      "other-plan",
      `${arm.name}, seed ${seed}, was begun with other settings, budget, world or model. Give the same plan, or another folder.`,
    );
  }
  const trained = isTrained(plan, journal.lines);
  if (trained && isFinished(journal.lines)) return await cleanUp(request);
  // With a larger budget than before it is not over any more.
  const told = journal.lines.some(isAfterTraining);
  if (told && !trained) await journal.cut(Number.POSITIVE_INFINITY, isAfterTraining);
  try {
    await carryOut({ ...request, armPlan: arm, resolved: armSettings(arm), journal, fingerprint });
  } catch (error) {
    if (isAbort(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const update = journal.lines.at(-1)?.update ?? 0;
    journal.add({ kind: "failed", update, code: errorCode(error) ?? "internal", message });
    throw error;
  }
}

/** The last line of a run, once its training is over. */
function isAfterTraining({ kind }: JournalLine): boolean {
  return ["trained", "final", "retention", "end"].includes(kind);
}

interface Scene extends RunArmRequest {
  readonly armPlan: Arm;
  readonly resolved: ResolvedArm;
  readonly journal: Journal;
  readonly fingerprint: string;
}

async function carryOut(scene: Scene): Promise<void> {
  const { plan, armPlan, seed, dir, journal } = scene;
  const folder = join(dir, armPlan.name, String(seed));
  const world = await openArmWorld(plan, armPlan);
  const analyst = await openAnalyst(scene.resolved.settings.analyst ?? "statistics", process.env, { cache: true });
  if (!journal.lines.some(({ kind }) => kind === "trained")) await trainArm(scene, folder, world, analyst);
  await measureEnd(scene, folder, world, analyst);
  const update = journal.lines.at(-1)?.update ?? 0;
  journal.add({ kind: "end", update });
  await cleanUp(scene);
}

/** The checkpoint is of no use once the run is over; a kill may have left it. */
async function cleanUp({ plan, dir, arm, seed }: RunArmRequest): Promise<void> {
  if (!plan.keepRuns && plan.goesOn !== true) await rm(join(dir, arm, String(seed)), { recursive: true, force: true });
}

async function trainArm(scene: Scene, folder: string, world: ArmWorld, analyst: Analyst): Promise<void> {
  const { plan, armPlan, resolved, seed, journal } = scene;
  const { every, tasks, split, temperature } = plan.evaluation;
  const listener = createListener(scene);
  const end = await train({
    ...resolved,
    settings: flattenSettings(resolved.settings),
    ...endOf(plan.budget),
    recipe: armPlan.recipe as RecipeId,
    ...(armPlan.reward === undefined ? {} : { reward: readRewardPlan(armPlan.reward) }),
    env: world.env,
    envName: world.name,
    demonstrator: world.demonstrator,
    model: armPlan.model ?? plan.model,
    analyst,
    seed,
    validation: { every, tasks, split, ends: true },
    report: { tasks: 0, split },
    evaluationTemperature: temperature,
    checkpointEvery: plan.checkpointEvery,
    dir: folder,
    resume: true,
    keep: plan.keepRuns,
    threads: plan.threads,
    // What comes after the checkpoint will be written again.
    onBegin: (from) => journal.cut(from, ({ kind }) => kind === "failed"),
    onEvent: listener.hear,
    now: scene.now,
    signal: scene.signal,
  });
  const { user, system } = process.cpuUsage();
  journal.add({
    kind: "trained",
    update: end.update,
    reason: end.reason,
    ...listener.spending(),
    otherSeconds: end.spent.seconds - end.spent.updateSeconds,
    processorSeconds: (user + system) / 1e6,
  });
}

/** From the events of a training to lines of the journal. */
function createListener({ journal, armPlan, seed, fingerprint, signal }: Scene): {
  readonly hear: (event: TrainEvent) => void;
  readonly spending: () => Spending;
} {
  const nothing = { environmentSteps: 0, sampledTokens: 0, modelTokens: 0, teacherTokens: 0, seconds: 0 };
  let spending: Spending = nothing;
  const hear = (event: TrainEvent): void => {
    if (event.kind === "start") {
      const last = journal.lines.findLast(({ kind }) => kind === "update");
      if (last?.kind === "update") spending = spendingOf(last);
      if (journal.lines.length > 0) return;
      const { parameters } = event;
      journal.add({ kind: "start", update: 0, arm: armPlan.name, seed, fingerprint, parameters });
    } else if (event.kind === "update") {
      const { update, success, reward, entropy, metrics, phases, spent } = event;
      const { environmentSteps, sampledTokens, modelTokens, updateSeconds } = spent;
      const teacherTokens = spending.teacherTokens + (metrics["teacher/tokens"] ?? 0);
      spending = { environmentSteps, sampledTokens, modelTokens, teacherTokens, seconds: updateSeconds };
      const kl = metrics["loss/kl/kl"] ?? null;
      journal.add({
        kind: "update",
        update,
        ...spending,
        success,
        reward,
        entropy,
        kl,
        metrics: rounded(metrics),
        phases: rounded(phases),
      });
    } else if (event.kind === "validation") {
      journal.add({ kind: "point", update: event.update, ...spending, ...measured(event.evaluation, "A validation") });
    } else if (event.kind === "notice" && !signal.aborted) {
      // The caller that stopped a training reports how it goes on.
      journal.add({ kind: "notice", update: event.update, message: event.message });
    }
  };
  return { hear, spending: () => spending };
}

function spendingOf({ environmentSteps, sampledTokens, modelTokens, teacherTokens, seconds }: Spending): Spending {
  return { environmentSteps, sampledTokens, modelTokens, teacherTokens, seconds };
}

/** A curve with a hole, or a comparison of what was not seen, would be decided by chance: the run is begun again. */
function measured(evaluation: Evaluation, what: string): Measured {
  const { solved, tasks, failed, meanSteps, invalid } = evaluation;
  return { success: figureOf(evaluation, what), solved, tasks: tasks - failed, meanSteps, invalid };
}

/** Six digits are enough to look at, and a journal of a long run stays small. */
function rounded(metrics: Readonly<Record<string, number>>): Record<string, number> {
  const finite = Object.entries(metrics).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(finite.map(([name, value]) => [name, Number(value.toPrecision(6))]));
}

/** Held-out tasks, and what a skill is still worth. Neither is charged to the budget. */
async function measureEnd(scene: Scene, folder: string, { env }: ArmWorld, analyst: Analyst): Promise<void> {
  const { plan, armPlan, resolved, seed, journal, signal } = scene;
  const { finalTasks, finalSplit, retentionTasks, temperature } = plan.evaluation;
  const has = (wanted: string): boolean => journal.lines.some(({ kind }) => kind === wanted);
  const update = journal.lines.at(-1)?.update ?? 0;
  const skilled =
    plan.evaluation.retentionArms === "all" ||
    resolved.settings.analyst !== undefined ||
    resolved.settings.skillInPrompt === true;
  const [wantsFinal, wantsRetention] = [
    finalTasks > 0 && !has("final"),
    retentionTasks > 0 && skilled && !has("retention"),
  ];
  if (!wantsFinal && !wantsRetention) return;
  const model = await openModel(join(folder, "model"), { threads: plan.threads, resume: true });
  try {
    const dialect = await createChatDialect(requireTokenizer(model));
    const { settings } = resolved;
    const { skills = {} } = (model.progress["training"] ?? {}) as { readonly skills?: FamilySkills };
    if (wantsFinal) {
      const request = {
        env,
        agent: agentFor({ model, dialect, settings }, { temperature, tell: tellingSkills(skills) }),
        tasks: await tasksOf(env, finalSplit, 0, finalTasks),
        // The same draws for every arm, so that what pairs share cancels.
        seed: `${seed} final`,
        signal,
        ...(settings.maxSteps === null ? {} : { maxSteps: settings.maxSteps }),
      };
      const search = searchOf(plan);
      const { evaluation, trajectories } =
        search === undefined ? await evaluateAgent(request) : await evaluateSearch({ ...request, search });
      const families = profileOf(trajectories).families.map(({ family, tasks, success }) => ({
        family,
        tasks,
        success: success.mean,
      }));
      journal.add({
        kind: "final",
        update,
        split: finalSplit,
        ...measured(evaluation, "The final evaluation"),
        families,
      });
    }
    if (!wantsRetention) return;
    const start = await openModel(armPlan.model ?? plan.model, { threads: plan.threads });
    try {
      const tasks = await tasksOf(env, finalSplit, finalTasks, retentionTasks);
      const found = await measureRetention({
        env,
        tasks,
        model,
        start,
        dialect,
        settings,
        skills,
        analyst,
        temperature,
        seed,
        signal,
      });
      journal.add({ kind: "retention", update, ...found });
    } finally {
      await start.close();
    }
  } finally {
    await model.close();
  }
}

function searchOf({ evaluation: { finalSearch } }: ArenaPlan): SearchPlan | undefined {
  if (finalSearch === undefined) return undefined;
  const { method, options, budget } = finalSearch;
  const limits = Object.entries(budget).filter(([, limit]) => limit !== undefined);
  return { search: () => createSearch(method, options), budget: Object.fromEntries(limits) };
}

// Is the skill still needed? The trained policy plays held-out tasks several times, skills are written from that, and
// the same tasks are played once more with the skill in the prompt and once without. What was distilled needs no skill:
// then the two are close. The starting model with the same skills shows what they were worth at the beginning.

interface RetentionRequest {
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

async function measureRetention(request: RetentionRequest): Promise<Retention> {
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
  const maxStepSkills = settings.stepSkills ?? 0;
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
