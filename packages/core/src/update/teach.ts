/**
 * A teacher's scores of the policy's own tokens. Three choices: the context (what the teacher sees and the policy
 * was not: a skill, an answer, feedback, a demonstration, …), the teacher (the start, the policy itself, another model)
 * and the form (how much of its opinion is asked for). Nothing is sampled. OPID is the context "skill".
 */
import { EngineError } from "limbeck-base/base/errors";
import { resolveOptions } from "limbeck-base/base/options";
import type { Candidates } from "../distill/candidates.ts";
import { contextOptionTable, toldByTask, type ContextOptions } from "../distill/contexts/context.ts";
import { getContext, type ContextId } from "../distill/contexts/index.ts";
import { diagnoseTeacher } from "../distill/diagnostics.ts";
import { rescore, rescorePlainly } from "../distill/rescore.ts";
import type { Rescored, Width } from "../distill/score-sequences.ts";
import type { Teacher } from "../distill/teacher.ts";
import { screenAnalyses, wasScreened } from "../skill/screen/screen-analyses.ts";
import type { Analysis } from "../skill/skill.ts";
import type { RoutingOptions } from "../skill/routing.ts";
import { familyOf } from "limbeck-base/trajectory/family";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { injectionOf } from "./agent.ts";
import { analyseEpisodes, countAnalyses } from "./analyse-episodes.ts";
import { drawsOf, measure, timePhase, type UpdateContext } from "./context.ts";
import { controlSkills, type SkillControl } from "./skill-control.ts";
import { solve } from "./solve.ts";
import type { DistributionOptions, Taught } from "./record.ts";

/** Whose most likely words are compared: the teacher's (forward), the policy's own (reverse), or both (between). */
export type Support = "teacher" | "student" | "union";

export interface TeachRequest {
  readonly context: ContextId;
  /**
   * The form: words of the teacher's distribution beside the sampled token. null: none; a number: the likeliest; "all":
   * every word, as candidates; "distribution": every word, as one distribution a token.
   */
  readonly candidates: number | "all" | "distribution" | null;
  /** Default: "teacher". With "union" every token has twice as many candidates. */
  readonly support?: Support;
  /** Default: the run's own (setting `teacher`). The policy as it is now, or as it was at the start. */
  readonly teacher?: "self" | "reference";
  /** What an episode without a context means: it learns without a teacher, or the update fails. Default: "skip". */
  readonly missing?: "skip" | "fail";
  /** Default: the settings under `context.`. */
  readonly options?: Partial<ContextOptions>;
  /** Another text in the place of the context's, by task; a recipe that makes its own. */
  readonly tell?: (task: Task) => Promise<string | undefined>;
  /** For the context "skill": who is analysed, and how. Default: everybody, with the setting `stepSkills`. */
  readonly analyse?: AnalyseRequest;
  /** Which of its texts a step is scored with. Default: all that there are. */
  readonly routing?: RoutingOptions;
}

export interface AnalyseRequest {
  readonly maxStepSkills: number;
  readonly select?: (trajectory: Trajectory) => boolean;
  /** Other texts in the place of the skills, as a control. Default: "none". */
  readonly control?: SkillControl;
  /** Which of the skills that passed the screen are taught. Default: all of them. */
  readonly prove?: (analyses: ReadonlyMap<string, Analysis>) => Promise<ReadonlyMap<string, Analysis>>;
}

/**
 * What the teacher thinks of the episodes. Give the answer to `credit`, so that the rows carry it.
 *
 * @example
 * import { getRecipe, collect } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const episodes = await collect(update);
 *     const { opinions } = await teach(update, episodes, { context: "none", teacher: "self", candidates: null });
 *     console.log(opinions.size); // 2
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export async function teach(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  request: TeachRequest,
): Promise<Taught> {
  const analyses = await tell(update, episodes, request);
  const missing = analyses === undefined ? [] : episodes.filter(({ id }) => !speaks(analyses.get(id)));
  if (missing.length > 0 && request.missing === "fail") throw nothingToTell(request.context, missing);
  return await timePhase(update, "rescore", async () => {
    const taught: Taught = {
      ...(await scored(update, episodes, request, analyses)),
      analyses: analyses ?? new Map<string, Analysis>(),
      missing: missing.map(({ id }) => id),
      distribution: distributionOf(update, request),
    };
    note(update, episodes, taught);
    return taught;
  });
}

/**
 * Hindsight skills of finished episodes; an analysis that failed is counted and left out.
 *
 * @example
 * import { getRecipe, collect } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const episodes = await collect(update);
 *     const analyses = await analyse(update, episodes, { maxStepSkills: 1 });
 *     console.log(analyses.size); // 2
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export async function analyse(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  { control = "none", prove, ...request }: AnalyseRequest,
): Promise<ReadonlyMap<string, Analysis>> {
  return await timePhase(update, "analyse", async () => {
    const { analyst, record, dialect, signal } = update;
    const found = await analyseEpisodes(analyst, episodes, { ...request, signal }, (analyses) =>
      controlSkills(analyses, {
        kind: control,
        episodes,
        rng: drawsOf(update, "skills"),
        dialect,
        solve: update.demonstrator === undefined ? undefined : async (task) => (await solve(update, task))?.plan,
      }),
    );
    const proven = prove === undefined ? found : await prove(found);
    for (const [id, analysis] of proven) record.analyses.set(id, analysis);
    measure(update, { analysed: record.analyses.size, ...countAnalyses(found) }, "analyst/");
    return record.analyses;
  });
}

/**
 * Keeps the episode skills of these for the prompts of later updates, the latest of each family of tasks.
 *
 * @example
 * import { getRecipe, analyse, collect } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const episodes = await collect(update);
 *     remember(update, episodes, await analyse(update, episodes, { maxStepSkills: 1 }));
 *     console.log(Object.keys(update.record.skills)); // [ "countdown" ]
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export function remember(
  { record }: UpdateContext,
  episodes: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
): void {
  const found = episodes.flatMap(({ id, task }) => {
    const text = analyses.get(id)?.episodeSkill?.text;
    return text === undefined ? [] : [[familyOf(task), text] as const];
  });
  record.skills = { ...record.skills, ...Object.fromEntries(found) };
}

/** The teacher's extra context of each episode; undefined for the plain one, in which it reads what was sampled. */
async function tell(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  request: TeachRequest,
): Promise<ReadonlyMap<string, Analysis> | undefined> {
  const { settings, record } = update;
  const plan = request.analyse ?? { maxStepSkills: settings.stepSkills ?? 0 };
  const { name: _name, ...own } = settings.context ?? {};
  const options = { ...own, ...request.options };
  const told =
    request.tell === undefined
      ? await getContext(request.context).prepare(
          episodes,
          {
            solve: (task) => solve(update, task),
            analyse: async (some, among) => {
              const wanted = new Set(some.map(({ id }) => id));
              const select = (one: Trajectory): boolean => wanted.has(one.id) && (plan.select?.(one) ?? true);
              return await analyse(update, among, { ...plan, select });
            },
          },
          resolveOptions(contextOptionTable, options, "the context"),
          record.episodes,
        )
      : await toldByTask(episodes, request.tell);
  if (told.kind === "plain") return undefined;
  // Contexts quote what agents did and saw; what an analyst wrote comes screened and is seen to again.
  const analyses = screenAnalyses(told.analyses, episodes, { wroteFreely: false });
  for (const [id, analysis] of analyses) record.analyses.set(id, analysis);
  return analyses;
}

/** The policy's own likely words are asked of the policy first, where the support has them. */
async function scored(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  { candidates, support = "teacher", teacher, routing }: TeachRequest,
  analyses: ReadonlyMap<string, Analysis> | undefined,
): Promise<Rescored> {
  const { settings, dialect, model, signal, record } = update;
  const { contextLength, vocabularySize: size } = model.config;
  const forest = { episodeWeight: 1, stepWeight: 1, ...routing, maxTokens: contextLength, ...injectionOf(settings) };
  const ask = async (width?: Width): Promise<Rescored> => {
    const scoring = { ...teacherOf(update, teacher), signal, width };
    if (analyses === undefined) return await rescorePlainly(episodes, scoring, record.episodes);
    return await rescore(episodes, analyses, { ...scoring, dialect, forest });
  };
  if (candidates === null) return await ask();
  if (typeof candidates === "string" || candidates >= size) return await ask({ kind: "vocabulary", size });
  if (support === "teacher") return await ask({ kind: "top", count: candidates, size });
  const width: Width = { kind: "top", count: candidates, size };
  const own = await rescorePlainly(episodes, { scorer: model, signal, width }, record.episodes);
  const words = (trajectory: string, step: number): Candidates | undefined =>
    own.opinions.get(trajectory)?.get(step)?.candidates;
  if (support === "student") return await ask({ kind: "given", count: candidates, of: words });
  const count = Math.min(2 * candidates, size);
  const first = await ask({ kind: "top", count, size });
  return await ask({
    kind: "given",
    count,
    of: (trajectory, step) => {
      const theirs = first.opinions.get(trajectory)?.get(step)?.candidates;
      const ours = words(trajectory, step);
      return theirs === undefined || ours === undefined ? undefined : unionOf(theirs, ours);
    },
  });
}

function teacherOf(
  { teacher, model, start }: UpdateContext,
  asked: TeachRequest["teacher"],
): Pick<Teacher, "scorer" | "scorerFor"> {
  if (asked === undefined) return { scorer: teacher.scorer, scorerFor: teacher.scorerFor };
  return { scorer: asked === "self" ? model : start };
}

function distributionOf({ model }: UpdateContext, { candidates }: TeachRequest): DistributionOptions | undefined {
  if (candidates === null) return undefined;
  const { vocabularySize } = model.config;
  if (candidates === "distribution") return { vocabularySize, candidates: null };
  return { vocabularySize, candidates: candidates === "all" ? vocabularySize : candidates };
}

/** Checks the teacher's scores, for the guard and the records. Of several passes the last is kept. */
function note(update: UpdateContext, episodes: readonly Trajectory[], taught: Taught): void {
  const { record, guard } = update;
  record.taught = taught;
  record.diagnostics = diagnoseTeacher(episodes, taught);
  record.stopTeacher = guard.watch(update.update, record.diagnostics) ?? record.stopTeacher;
  measure(
    update,
    {
      taught: episodes.length - taught.missing.length,
      missing: taught.missing.length,
      screened: [...taught.analyses.values()].filter(wasScreened).length,
      lost: taught.lost.length,
      teacherTokens: taught.tokens,
    },
    "context/",
  );
}

function speaks(analysis: Analysis | undefined): boolean {
  if (analysis === undefined || analysis.error !== undefined) return false;
  return (analysis.episodeSkill?.text.trim() ?? "") !== "" || analysis.stepSkills.size > 0;
}

function nothingToTell(context: ContextId, missing: readonly Trajectory[]): EngineError {
  const ids = missing.map(({ id }) => id);
  return new EngineError(
    "needs-unmet",
    `The teacher cannot be told "${context}" of ${ids.length} episodes, "${ids[0]}" for one; it is missing ${getContext(context).info.missing}. Choose another context, or let such episodes go without a teacher (missing=skip).`,
    { details: { context, missing: ids.slice(0, 10) } },
  );
}

// Words that the teacher or the policy finds likely, as many at every token.

/**
 * `theirs` holds 2k words at each token, `ours` k: the teacher's first k, what of ours is not among them, and then more
 * of the teacher's until there are 2k. No word stands twice.
 */
export function unionOf(theirs: Candidates, ours: Candidates): Pick<Candidates, "count" | "ids"> {
  const { count } = theirs;
  const ids = new Int32Array(theirs.ids.length);
  for (let token = 0; token * count < ids.length; token += 1) {
    const likely = theirs.ids.subarray(token * count, (token + 1) * count);
    const own = ours.ids.subarray(token * ours.count, (token + 1) * ours.count);
    const found = new Set([...likely.subarray(0, ours.count), ...own, ...likely]);
    ids.set([...found].slice(0, count), token * count);
  }
  return { count, ids };
}
