/** Distill: what teachers think of the policy's own words, and what finished trajectories teach: pairs and lessons. */
import { aligned } from "./aligned.ts";
import { ema } from "./ema.ts";
import { endpoint } from "./endpoint.ts";
import { mixture } from "./mixture.ts";
import { model } from "./model.ts";
import { openFrom } from "./open-teacher.ts";
import { reference } from "./reference.ts";
import { routed } from "./routed.ts";
import { self } from "./self.ts";
import type { TaughtModel, Teacher, TeacherKind, TeacherOptions } from "./teacher.ts";

/** Every teacher. A new one is a file, a test and a line here. */
export const teachers = { aligned, ema, endpoint, mixture, model, reference, routed, self } as const satisfies Record<
  string,
  TeacherKind
>;
export type TeacherId = keyof typeof teachers;

/** Opened with everything it is made of; the caller closes it. */
export async function openTeacher(
  name: string,
  taught: TaughtModel,
  options: Omit<TeacherOptions, "member">,
): Promise<Teacher> {
  return await openFrom(teachers, name, taught, options);
}

export { topCandidates, type Candidates } from "./candidates.ts";
export { highEntropySteps, type StepEntropy } from "./curation/high-entropy.ts";
export { buildStateGraph, type Edge, type StateGraph } from "./curation/state-graph.ts";
export {
  chooseTasks,
  chooseTrajectories,
  measureTaskTopology,
  measureTrajectoryTopology,
  type CurationWeights,
  type TaskTopology,
  type TrajectoryTopology,
} from "./curation/topology.ts";
export { diagnoseTeacher, type ShiftSummary, type TeacherDiagnostics } from "./diagnostics.ts";
export { alignedScorer, type AlignedOptions, type ScoredText, type TextPart } from "./aligned-scorer.ts";
export { createGuard, type Guard, type GuardOptions, type GuardState } from "./guard.ts";
export {
  contextOptionTable,
  contexts,
  getContext,
  toldByTask,
  type Context,
  type ContextId,
  type ContextOptions,
  type ContextSources,
  type Solution,
} from "./contexts/index.ts";
export { balancedWeight, movedAverage, NO_AVERAGES, type Averages, type BalanceOptions } from "./loss-balance.ts";
export { drawOneTokens, type OneTokenOptions } from "./one-token.ts";
export { POSITION_FORMS, weighPositions, type PositionWeights } from "./position-weights.ts";
export { givenTurns, playedTurns } from "./temporal-curriculum.ts";
export { withoutHint } from "./without-hint.ts";
export { gatedEpisodes, hopelessGroups, rescueGroups, type Rescued } from "./quality-gate.ts";
export { isRefined } from "./refinement.ts";
export { measureTurnDivergence, type TurnDivergence } from "./turn-divergence.ts";
export { rescore, rescorePlainly, type RescoreOptions } from "./rescore.ts";
export { type Opinion, type Rescored, type Width } from "./score-sequences.ts";
export type { TaughtModel, Teacher, TeacherKind, TeacherOptions } from "./teacher.ts";
export {
  contrasts,
  contrastText,
  demonstratedSteps,
  nextObservations,
  reflections,
  type Contrast,
} from "./imitation/early-experience.ts";
export { buildLessonRows, type LessonRows } from "./imitation/lesson-rows.ts";
export { THOUGHT_PLACES, type Lesson, type ThoughtPlace } from "./imitation/lesson.ts";
export { lookaheads, type LookaheadOptions } from "./imitation/lookahead.ts";
export {
  betterRows,
  extended,
  powerOfTwoSample,
  recalibrated,
  withoutOld,
  type GroupHistory,
  type HeldRow,
} from "./imitation/replay-buffer.ts";
export { safeFront, safetyCandidates, type Candidate as SafetyCandidate } from "./pairs/fate.ts";
export { SAFETY, scoreSafety, type SafetyName, type SafetyScores } from "./pairs/safety.ts";
export { mixedValue, rankSiblings, type Ranked, type Sibling } from "./pairs/agent-q.ts";
export { findPairs, getPairSource, pairSources, type PairSourceId } from "./pairs/index.ts";
export { buildPairMessages, type PairMessages } from "./pairs/pair-messages.ts";
export { buildPairRows, sideRows, type PairRows } from "./pairs/pair-rows.ts";
export { definePairSource, type Pair, type PairSource, type Side } from "./pairs/pair.ts";
