/**
 * What a teacher has to score: the sampled responses of a trajectory, token for token, under prompts that carry a
 * skill. Only the message with the skill is tokenised anew; everything else is the stream as it was sampled.
 *
 * For a conversation that grows, the sequences form a tree: a trunk, whose opening carries the episode skill, and at
 * most K leaves, each the history without any skill, the message of one critical step with its step skill, and that
 * step's response. So a step skill never stands in a later step's context. Prompts rebuilt per step are conversations
 * of one message.
 */
import { joined } from "../base/joined.ts";
import type { Dialect } from "../policy/index.ts";
import type { Step, Trajectory } from "../trajectory/index.ts";
import { augmentObservation, type InjectedSkills, type InjectionOptions } from "./injection.ts";
import {
  beforeMessage,
  plainPromptText,
  readConversation,
  type ConversationHints,
  type SampledConversation,
} from "./read-conversation.ts";
import { selectTeacherSources, type RoutingOptions, type TeacherSources } from "./routing.ts";
import type { Analysis, SkillLevel } from "./skill.ts";
import { fitTokens, type Fitted } from "./truncation.ts";

export interface TeacherForestOptions extends RoutingOptions, InjectionOptions, ConversationHints {
  /** Longest sequence, response included. Default: unlimited. */
  readonly maxTokens?: number;
  /** For prompts rebuilt per step: the prompt without its oldest step, or undefined when none is left to drop. */
  readonly shorten?: (prompt: string) => string | undefined;
}

/** Tokens to score, and where each scored one belongs: `ids[positions[n]]` is token `tokens[n]` of step `steps[n]`. */
export interface TeacherSequence {
  /** Which teacher the scores are of. */
  readonly teacher: SkillLevel;
  /** Ids of the skills in the context. */
  readonly skills: readonly string[];
  readonly ids: Int32Array;
  /** 1 at the scored positions. */
  readonly mask: Uint8Array;
  readonly positions: Int32Array;
  /** As `Step.index` counts. */
  readonly steps: Int32Array;
  /** Counted inside the step's response. */
  readonly tokens: Int32Array;
}

/** A step that should have had a teacher and has none. */
export interface LostRow {
  readonly step: number;
  readonly teacher: SkillLevel;
  /** "too-long": the skill does not fit. "unknown-prompt": the stream is not what the dialect makes of the text. */
  readonly reason: "too-long" | "unknown-prompt" | "no-tokens";
}

export interface TeacherForest {
  readonly sequences: readonly TeacherSequence[];
  readonly lost: readonly LostRow[];
  /** Rows whose history was cut to make room for the skill. */
  readonly shortened: number;
}

interface Row {
  readonly step: Step;
  /** Position among the steps of its stream. */
  readonly at: number;
  readonly sources: TeacherSources;
}

/**
 * The sequences of one trajectory that a teacher scores, and the steps that get none.
 *
 * @example
 * import { createSkill } from "limbeck/skill";
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const { trajectories } = await rollout({ env: "household", policy, tasks: 1, group: 1, maxSteps: 2 });
 * const told = { outcome: "failure", episodeSkill: createSkill("episode", "Look less.", []), stepSkills: new Map() } as const;
 * for (const trajectory of trajectories) {
 *   const analysis = { trajectory: trajectory.id, ...told };
 *   const forest = buildTeacherForest(trajectory, analysis, plainDialect(policy.tokenizer), { episodeWeight: 1, stepWeight: 1 });
 *   console.log(forest.sequences.map(({ teacher, steps }) => `${teacher}: ${new Set(steps).size} steps`)); // [ "episode: 2 steps" ]
 * }
 */
export function buildTeacherForest(
  trajectory: Trajectory,
  analysis: Analysis,
  dialect: Dialect,
  options: TeacherForestOptions,
): TeacherForest {
  if (analysis.error !== undefined) return { sequences: [], lost: [], shortened: 0 };
  const streams = new Map<number | undefined, Row[]>();
  for (const step of trajectory.steps) {
    const rows = streams.get(step.span?.stream) ?? [];
    rows.push({ step, at: rows.length, sources: sourcesOf(analysis, step, options) });
    streams.set(step.span?.stream, rows);
  }
  const trees = [...streams].map(([number, rows]) => {
    if (rows.every(({ sources }) => !sources.useEpisode && !sources.useStep)) return EMPTY;
    if (number === undefined) return lostRows(rows, "no-tokens");
    const stream = trajectory.streams[number];
    const steps = rows.map(({ step }) => step);
    const conversation = stream && readConversation(stream, steps, dialect, options);
    if (conversation === undefined) return lostRows(rows, "unknown-prompt");
    const scene: Scene = { analysis, dialect, options, conversation };
    return merge([growTrunk(scene, rows), ...rows.map((row) => (row.sources.useStep ? growLeaf(scene, row) : EMPTY))]);
  });
  return merge(trees);
}

interface Scene {
  readonly analysis: Analysis;
  readonly dialect: Dialect;
  readonly options: TeacherForestOptions;
  readonly conversation: SampledConversation;
}

const EMPTY: TeacherForest = { sequences: [], lost: [], shortened: 0 };

function sourcesOf(analysis: Analysis, step: Step, options: RoutingOptions): TeacherSources {
  const sources = selectTeacherSources(analysis.stepSkills.get(step.index)?.text, options);
  const written = (analysis.episodeSkill?.text.trim() ?? "") !== "";
  return { ...sources, useEpisode: sources.useEpisode && written };
}

/** The rows that fit are scored in one pass over the trunk; each that does not gets a sequence with a shorter history. */
function growTrunk(scene: Scene, rows: readonly Row[]): TeacherForest {
  const wanted = rows.filter(({ sources }) => sources.useEpisode);
  if (wanted.length === 0) return EMPTY;
  const { conversation, options, analysis } = scene;
  const skills = { episodeSkill: analysis.episodeSkill?.text };
  const parts = [openingWith(scene, skills)];
  const ends: number[] = [];
  let length = (parts[0] as Int32Array).length;
  for (const [at, answer] of conversation.answers.entries()) {
    const between = conversation.between[at] as Int32Array;
    parts.push(between, answer);
    length += between.length + answer.length;
    ends.push(length);
  }
  const fits = ({ at }: Row): boolean => (ends[at] as number) <= (options.maxTokens ?? Number.POSITIVE_INFINITY);
  const inTrunk = wanted.filter(fits);
  const last = inTrunk.at(-1);
  const trunk =
    last === undefined
      ? EMPTY
      : sequenceOf(scene, "episode", skills, joined(Int32Array, parts).slice(0, ends[last.at]), inTrunk, ends);
  const late = wanted.filter((row) => !fits(row)).map((row) => growAlone(scene, row, "episode", skills));
  return merge([trunk, ...late]);
}

function growLeaf(scene: Scene, row: Row): TeacherForest {
  const { analysis, options } = scene;
  const stepSkill = analysis.stepSkills.get(row.step.index)?.text;
  const both = options.mode === "both_at_once" && options.episodeWeight > 0;
  return growAlone(scene, row, "step", {
    stepSkill,
    ...(both ? { episodeSkill: analysis.episodeSkill?.text } : {}),
  });
}

/** One sequence for one row: header, as much history as fits, the present message, the response. */
function growAlone(scene: Scene, row: Row, teacher: SkillLevel, skills: InjectedSkills): TeacherForest {
  const { conversation, dialect, options } = scene;
  const { step, at } = row;
  const opens = conversation.answersOpening && at === 0;
  let present = conversation.between[at] as Int32Array;
  if (!opens && skills.stepSkill !== undefined) {
    const before = beforeMessage(present, step, dialect);
    if (before === undefined) return { ...EMPTY, lost: [{ step: step.index, teacher, reason: "unknown-prompt" }] };
    const text = augmentObservation(plainPromptText(step), { stepSkill: skills.stepSkill }, options);
    present = joined(Int32Array, [before, dialect.turn(text)]);
  }
  const { stepSkill, ...general } = skills;
  const header = openingWith(scene, opens ? { ...general, stepSkill } : general);
  const fitted = fitAlone(conversation, at, header, present, options.maxTokens) ?? fitShorter(scene, row, skills);
  if (fitted === undefined) return { ...EMPTY, lost: [{ step: step.index, teacher, reason: "too-long" }] };
  const ends: number[] = [];
  ends[at] = fitted.ids.length;
  return {
    ...sequenceOf(scene, teacher, skills, fitted.ids, [row], ends),
    shortened: fitted.dropped > 0 ? 1 : 0,
  };
}

/**
 * A step of the history goes as an answer and the message after it, so that question and answer still take turns; the
 * last answer stays.
 */
function fitAlone(
  { between, answers }: SampledConversation,
  at: number,
  header: Int32Array,
  present: Int32Array,
  maxTokens: number | undefined,
): Fitted | undefined {
  const answer = answers[at] as Int32Array;
  if (at === 0) return fitTokens(joined(Int32Array, [header, present]), [], answer, maxTokens);
  const history = answers
    .slice(0, at - 1)
    .map((said, one) => joined(Int32Array, [said, between[one + 1] as Int32Array]));
  const tail = joined(Int32Array, [answers[at - 1] as Int32Array, present, answer]);
  return fitTokens(joined(Int32Array, [header, between[0] as Int32Array]), history, tail, maxTokens);
}

/** A prompt that shows its own history loses the oldest steps of it. */
function fitShorter(scene: Scene, { at }: Row, skills: InjectedSkills): Fitted | undefined {
  const { conversation, options } = scene;
  if (options.shorten === undefined || at !== 0 || !conversation.answersOpening) return undefined;
  const answer = conversation.answers[0] as Int32Array;
  let dropped = 0;
  for (let text = options.shorten(conversation.openingText); text !== undefined; text = options.shorten(text)) {
    dropped += 1;
    const fitted = fitTokens(openingWith(scene, skills, text), [], answer, options.maxTokens);
    if (fitted !== undefined) return { ...fitted, dropped };
  }
  return undefined;
}

/** The opening as it was sampled, or tokenised anew with skills in it. */
function openingWith({ conversation, dialect, options }: Scene, skills: InjectedSkills, text?: string): Int32Array {
  if (skills.episodeSkill === undefined && skills.stepSkill === undefined) return conversation.opening;
  return dialect.opening(augmentObservation(text ?? conversation.openingText, skills, options), options.system);
}

/** `ends[row.at]` is where the row's response ends in `ids`. */
function sequenceOf(
  { analysis, conversation }: Scene,
  teacher: SkillLevel,
  skills: InjectedSkills,
  ids: Int32Array,
  rows: readonly Row[],
  ends: readonly number[],
): TeacherForest {
  const mask = new Uint8Array(ids.length);
  const positions: number[] = [];
  const steps: number[] = [];
  const tokens: number[] = [];
  for (const { step, at } of rows) {
    const { length } = conversation.answers[at] as Int32Array;
    for (let token = 0; token < length; token += 1) {
      const position = (ends[at] as number) - length + token;
      mask[position] = 1;
      positions.push(position);
      steps.push(step.index);
      tokens.push(token);
    }
  }
  const used = [
    ...(skills.episodeSkill === undefined ? [] : [analysis.episodeSkill?.id]),
    ...(skills.stepSkill === undefined ? [] : rows.map(({ step }) => analysis.stepSkills.get(step.index)?.id)),
  ].filter((id) => id !== undefined);
  const sequence: TeacherSequence = {
    teacher,
    skills: used,
    ids,
    mask,
    positions: Int32Array.from(positions),
    steps: Int32Array.from(steps),
    tokens: Int32Array.from(tokens),
  };
  return { ...EMPTY, sequences: [sequence] };
}

function lostRows(rows: readonly Row[], reason: LostRow["reason"]): TeacherForest {
  const lost = rows.flatMap(({ step, sources }) => [
    ...(sources.useEpisode ? [{ step: step.index, teacher: "episode" as const, reason }] : []),
    ...(sources.useStep ? [{ step: step.index, teacher: "step" as const, reason }] : []),
  ]);
  return { ...EMPTY, lost };
}

function merge(forests: readonly TeacherForest[]): TeacherForest {
  return {
    sequences: forests.flatMap(({ sequences }) => sequences),
    lost: forests.flatMap(({ lost }) => lost),
    shortened: forests.reduce((sum, { shortened }) => sum + shortened, 0),
  };
}
