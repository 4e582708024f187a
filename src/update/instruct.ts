/**
 * The tool behind every method that learns from a teacher: tells the teacher something (a context), lets it score the
 * policy's own words, and says who could not be taught. It samples nothing.
 */
import { EngineError, resolveOptions } from "../base/index.ts";
import {
  contextOptions,
  getContext,
  rescore,
  rescorePlainly,
  toldByTask,
  type Candidates,
  type ContextId,
  type ContextOptions,
  type ContextSources,
  type Rescored,
  type Teacher,
  type Width,
} from "../distill/index.ts";
import type { Demonstrator, Env } from "../env/index.ts";
import type { Dialect, Scorer } from "../policy/index.ts";
import { screenAnalyses, wasScreened, type Analysis } from "../skill/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";
import type { CreditingOptions } from "./credit-episodes.ts";
import type { Cost } from "./providers/provider.ts";
import { createReferences } from "./providers/references.ts";
import { added, NO_COST } from "./providers/run-providers.ts";
import type { Settings } from "../recipe/settings.ts";
import { injectionOf } from "./teacher-settings.ts";
import type { TrainedModel } from "../training/trained-model.ts";
import { unionOf } from "./union-candidates.ts";

/** Whose most likely words are compared: the teacher's (forward), the policy's own (reverse), or both (between). */
export const SUPPORTS = ["teacher", "student", "union"] as const;
export type Support = (typeof SUPPORTS)[number];

export interface InstructRequest {
  readonly context: ContextId;
  /** Words of the teacher's distribution beside the sampled token; null: none, "all": the vocabulary. */
  readonly candidates: number | "all" | null;
  /** "teacher" unless told; with "union" every token has twice as many candidates. */
  readonly support?: Support;
  /** The run's own (setting `teacher`) unless told: the policy as it is now, or as it was at the start. */
  readonly teacher?: "self" | "reference";
  /** What an episode without a context means: it learns without a teacher, or the update fails. "skip" unless told. */
  readonly missing?: "skip" | "fail";
  /** The settings under `context.` unless told. */
  readonly options?: Partial<ContextOptions>;
  /** Another text in the place of the context's, by task; a recipe that makes its own. */
  readonly tell?: (task: Task) => Promise<string | undefined>;
}

export interface Instructed extends Rescored {
  /** What the teacher was told, by trajectory; empty for the plain context. */
  readonly analyses: ReadonlyMap<string, Analysis>;
  /** Episodes that have no such context. */
  readonly missing: readonly string[];
  /** For `credit`: the rows then carry the teacher's log-probabilities, and its candidates where there are some. */
  readonly crediting: CreditingOptions;
  readonly metrics: Readonly<Record<string, number>>;
  /** Beside the teacher's tokens. */
  readonly cost: Cost;
}

/** The parts of an update that it works with. */
export interface InstructParts {
  readonly update: number;
  readonly seed: number;
  readonly settings: Settings;
  readonly model: TrainedModel;
  readonly dialect: Dialect;
  readonly start: Scorer;
  readonly teacher: Teacher;
  readonly env?: Env | undefined;
  readonly demonstrator?: Demonstrator | undefined;
  readonly signal: AbortSignal;
}

/** `among` are all episodes of the update; `episodes` those that are taught. */
export async function instruct(
  parts: InstructParts,
  among: readonly Trajectory[],
  episodes: readonly Trajectory[],
  request: InstructRequest,
  tools: Pick<ContextSources, "analyse">,
): Promise<Instructed> {
  const { settings, dialect, signal } = parts;
  let cost = NO_COST;
  const spend = (more: Partial<Cost>): void => {
    cost = added(cost, more);
  };
  const context = getContext(request.context);
  const sources: ContextSources = { ...tools, solve: solverOf(parts, spend) };
  const options = contextOptionsOf(settings, request.options);
  const told =
    request.tell === undefined
      ? await context.prepare(episodes, sources, options, among)
      : await toldByTask(episodes, request.tell);
  // Contexts quote what agents did and saw; what an analyst wrote comes screened and is seen to again.
  const analyses =
    told.kind === "plain"
      ? new Map<string, Analysis>()
      : screenAnalyses(told.analyses, episodes, { wroteFreely: false });
  const missing =
    told.kind === "plain" ? [] : episodes.filter(({ id }) => !speaks(analyses.get(id))).map(({ id }) => id);
  if (missing.length > 0 && request.missing === "fail")
    throw nothingToTell(request.context, context.info.missing, missing);
  const { scorer, scorerFor } = teacherOf(parts, request);
  const score = async (width: Width | undefined): Promise<Rescored> => {
    const scoring = { scorer, scorerFor, signal, width };
    if (told.kind === "plain") return await rescorePlainly(episodes, scoring, among);
    const maxTokens = parts.model.config.contextLength;
    const forest = { episodeWeight: 1, stepWeight: 1, maxTokens, ...injectionOf(settings) };
    return await rescore(episodes, analyses, { ...scoring, dialect, forest });
  };
  const rescored = await widely(parts, { among, episodes, request, score, spend });
  return {
    ...rescored,
    analyses,
    missing,
    crediting: crediting(parts, request),
    metrics: {
      taught: episodes.length - missing.length,
      missing: missing.length,
      screened: [...analyses.values()].filter(wasScreened).length,
      lost: rescored.lost.length,
      teacherTokens: rescored.tokens,
    },
    cost,
  };
}

interface Wide {
  readonly among: readonly Trajectory[];
  readonly episodes: readonly Trajectory[];
  readonly request: InstructRequest;
  readonly score: (width: Width | undefined) => Promise<Rescored>;
  readonly spend: (cost: Partial<Cost>) => void;
}

/** As many passes as the support takes: the policy's own likely words are asked of the policy first. */
async function widely(parts: InstructParts, { among, episodes, request, score, spend }: Wide): Promise<Rescored> {
  const { candidates, support = "teacher" } = request;
  const size = parts.model.config.vocabularySize;
  if (candidates === null) return await score(undefined);
  if (candidates === "all" || candidates >= size) return await score({ kind: "vocabulary", size });
  if (support === "teacher") return await score({ kind: "top", count: candidates, size });
  const own = await rescorePlainly(
    episodes,
    { scorer: parts.model, signal: parts.signal, width: { kind: "top", count: candidates, size } },
    among,
  );
  spend({ modelTokens: own.tokens });
  const words = (trajectory: string, step: number): Candidates | undefined =>
    own.opinions.get(trajectory)?.get(step)?.candidates;
  if (support === "student") return await score({ kind: "given", count: candidates, of: words });
  const count = Math.min(2 * candidates, size);
  const first = await score({ kind: "top", count, size });
  spend({ modelTokens: first.tokens });
  return await score({
    kind: "given",
    count,
    of: (trajectory, step) => {
      const theirs = first.opinions.get(trajectory)?.get(step)?.candidates;
      const ours = words(trajectory, step);
      return theirs === undefined || ours === undefined ? undefined : unionOf(theirs, ours);
    },
  });
}

function crediting({ model }: InstructParts, { candidates }: InstructRequest): CreditingOptions {
  if (candidates === null) return {};
  const { vocabularySize } = model.config;
  return { distribution: { vocabularySize, candidates: candidates === "all" ? vocabularySize : candidates } };
}

function teacherOf(
  { teacher, model, start }: InstructParts,
  request: InstructRequest,
): Pick<Teacher, "scorer" | "scorerFor"> {
  if (request.teacher === undefined) return teacher;
  return { scorer: request.teacher === "self" ? model : start };
}

/** The world's demonstrator, asked once for each task. */
function solverOf(parts: InstructParts, spend: (cost: Partial<Cost>) => void): ContextSources["solve"] {
  let ask: ReturnType<typeof createReferences> | undefined;
  return async (task) => {
    const { env, demonstrator, signal } = parts;
    if (env === undefined) {
      throw new EngineError(
        "needs-unmet",
        'A context asks the world for a solution, and this training has no world; give it "env".',
      );
    }
    const seed = `${parts.seed} update ${parts.update} contexts`;
    ask ??= createReferences({ env, demonstrator, seed, signal, spend });
    return await ask(task, "answerTeacher");
  };
}

const PREFIX = "context.";

function contextOptionsOf(settings: Settings, given: Partial<ContextOptions> = {}): ContextOptions {
  const own = Object.entries(settings).filter(([key]) => key.startsWith(PREFIX));
  const told = Object.fromEntries(own.map(([key, value]) => [key.slice(PREFIX.length), value]));
  return resolveOptions(contextOptions, { ...told, ...given }, "the context");
}

function speaks(analysis: Analysis | undefined): boolean {
  if (analysis === undefined || analysis.error !== undefined) return false;
  return (analysis.episodeSkill?.text.trim() ?? "") !== "" || analysis.stepSkills.size > 0;
}

function nothingToTell(context: string, when: string, missing: readonly string[]): EngineError {
  return new EngineError(
    "needs-unmet",
    `The teacher cannot be told "${context}" of ${missing.length} episodes, "${missing[0]}" for one; it is missing ${when}. Choose another context, or let such episodes go without a teacher (missing=skip).`,
    { details: { context, missing: missing.slice(0, 10) } },
  );
}
