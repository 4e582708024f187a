/**
 * What a teacher has to score: the sampled responses of a trajectory, token for token, under prompts that carry a
 * skill. Only the message with the skill is tokenised anew; everything else is the stream as it was sampled.
 *
 * For a conversation that grows, the sequences form a tree: a trunk, whose opening carries the episode skill, and at
 * most K leaves, each the history without any skill, the message of one critical step with its step skill, and that
 * step's response. So a step skill never stands in a later step's context. Prompts rebuilt per step are conversations
 * of one message.
 */
import { concat } from "limbeck-base/base/concat";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Step, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { augmentObservation, type InjectedSkills, type InjectionOptions } from "./injection.ts";
import { type RoutingOptions, selectTeacherSources, type TeacherSources } from "./routing.ts";
import type { Analysis, SkillLevel } from "./skill.ts";

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

/** A sequence in which the responses at these places are scored. */
export function scoredSequence(
  of: Pick<TeacherSequence, "teacher" | "skills" | "ids">,
  spans: readonly { readonly step: number; readonly start: number; readonly end: number }[],
): TeacherSequence {
  const mask = new Uint8Array(of.ids.length);
  for (const { start, end } of spans) mask.fill(1, start, end);
  const all = spans.flatMap(({ step, start, end }) =>
    Array.from({ length: end - start }, (_, token) => ({ position: start + token, step, token })),
  );
  return {
    ...of,
    mask,
    positions: Int32Array.from(all, ({ position }) => position),
    steps: Int32Array.from(all, ({ step }) => step),
    tokens: Int32Array.from(all, ({ token }) => token),
  };
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
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
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
      : sequenceOf(scene, "episode", skills, concat(Int32Array, parts).slice(0, ends[last.at]), inTrunk, ends);
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
    present = concat(Int32Array, [before, dialect.turn(text)]);
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
  if (at === 0) return fitTokens(concat(Int32Array, [header, present]), [], answer, maxTokens);
  const history = answers
    .slice(0, at - 1)
    .map((said, one) => concat(Int32Array, [said, between[one + 1] as Int32Array]));
  const tail = concat(Int32Array, [answers[at - 1] as Int32Array, present, answer]);
  return fitTokens(concat(Int32Array, [header, between[0] as Int32Array]), history, tail, maxTokens);
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
  const spans = rows.map(({ step, at }) => {
    const end = ends[at] as number;
    return { step: step.index, start: end - (conversation.answers[at] as Int32Array).length, end };
  });
  const used = [
    ...(skills.episodeSkill === undefined ? [] : [analysis.episodeSkill?.id]),
    ...(skills.stepSkill === undefined ? [] : rows.map(({ step }) => analysis.stepSkills.get(step.index)?.id)),
  ].filter((id) => id !== undefined);
  return { ...EMPTY, sequences: [scoredSequence({ teacher, skills: used, ids }, spans)] };
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

// Takes a sampled stream apart into its opening, the answers of its steps and what stood between them.

interface ConversationHints {
  /** The system message the conversation was opened with. */
  readonly system?: string;
  /** The opening message of a branch, whose own steps begin later. */
  readonly opening?: string;
}

/** Exact tokens: opening, between[0], answers[0], between[1], answers[1], … */
interface SampledConversation {
  /** The opening message without retrieved memory: what a skill is written into. */
  readonly openingText: string;
  /** Whether the first step answers the opening itself; a branch begins later. */
  readonly answersOpening: boolean;
  readonly opening: Int32Array;
  readonly between: readonly Int32Array[];
  readonly answers: readonly Int32Array[];
}

/** Undefined where the stream does not begin with what the dialect makes of the opening text. */
function readConversation(
  stream: TokenStream,
  steps: readonly Step[],
  dialect: Dialect,
  { system, opening }: ConversationHints,
): SampledConversation | undefined {
  const [first] = steps;
  if (first?.span === undefined) return undefined;
  const own = dialect.opening(promptText(first), system);
  const answersOpening = own.length === first.span.start && startsWith(stream.ids, own);
  const given = answersOpening || opening === undefined ? own : dialect.opening(opening, system);
  if (!answersOpening && (opening === undefined || given.length > first.span.start || !startsWith(stream.ids, given))) {
    return undefined;
  }
  const between: Int32Array[] = [];
  const answers: Int32Array[] = [];
  let at = given.length;
  for (const { span } of steps) {
    if (span === undefined || span.start < at || span.end > stream.ids.length) return undefined;
    between.push(stream.ids.slice(at, span.start));
    answers.push(stream.ids.slice(span.start, span.end));
    at = span.end;
  }
  return {
    openingText: answersOpening ? plainPromptText(first) : (opening as string),
    answersOpening,
    opening: stream.ids.slice(0, given.length),
    between,
    answers,
  };
}

/** What stood before a step's own message, or undefined where the stream does not end with that message. */
function beforeMessage(between: Int32Array, step: Step, dialect: Dialect): Int32Array | undefined {
  const message = dialect.turn(promptText(step));
  const at = between.length - message.length;
  return at >= 0 && startsWith(between.subarray(at), message) ? between.slice(0, at) : undefined;
}

/** The message without retrieved skills or memory, where the step says what that is. */
function plainPromptText(step: Step): string {
  return step.basePrompt ?? promptText(step);
}

function promptText(step: Step): string {
  return step.prompt ?? step.observation;
}

function startsWith(ids: Int32Array, start: Int32Array): boolean {
  return start.length <= ids.length && start.every((id, at) => ids[at] === id);
}

// Room for a skill: history is given up in whole steps, oldest first; the header and the present step stay.

interface Fitted {
  readonly ids: Int32Array;
  /** How many steps of history were given up. */
  readonly dropped: number;
}

/** Undefined where header and tail alone are too long. */
function fitTokens(
  header: Int32Array,
  history: readonly Int32Array[],
  tail: Int32Array,
  maxTokens = Number.POSITIVE_INFINITY,
): Fitted | undefined {
  let length = header.length + tail.length + history.reduce((sum, step) => sum + step.length, 0);
  let dropped = 0;
  while (length > maxTokens && dropped < history.length) {
    length -= (history[dropped] as Int32Array).length;
    dropped += 1;
  }
  return length > maxTokens
    ? undefined
    : { ids: concat(Int32Array, [header, ...history.slice(dropped), tail]), dropped };
}

/**
 * Takes the oldest step out of a prompt that shows its history as text. `start` matches where a step's block begins and
 * where the present begins, `/^(?:Step \d+|Now)$/m` for example; what stands before the first match is the header.
 * Undefined when only the present is left.
 */
export function dropOldestStep(prompt: string, start: RegExp): string | undefined {
  const every = new RegExp(start.source, start.flags.includes("g") ? start.flags : `${start.flags}g`);
  const [oldest, next] = [...prompt.matchAll(every)].map((match) => match.index);
  if (oldest === undefined || next === undefined) return undefined;
  return prompt.slice(0, oldest) + prompt.slice(next);
}
