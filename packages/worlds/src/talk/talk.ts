/**
 * Talk: a person, what is known of all kinds of cases, and one hidden kind. Questions tell the kinds apart and cost the mood of
 * some; a kind word mends it; the conclusion ends it. Neither the kind nor the mood is ever stated; the tone shows the mood.
 */
import { createRng, pick } from "limbeck-base/base/rng";
import { scored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import { drawnEnv, drawnTasks, type DrawnTasks, type DrawnWorld } from "limbeck-core/env/drawn-tasks";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import { writeWording } from "limbeck-core/env/wording";
import { caseKey, drawCase, levels, talkWords, type Case, type LevelId, type Person, type PersonId } from "./case.ts";

export interface TalkOptions {
  /** Seed of the cases. Default: 1. */
  readonly seed?: number;
  /** Who is talked to. Default: "patient". */
  readonly who?: PersonId;
  /** Kinds and topics: 4 and 4, 6 and 6, or 9 and 8. Default: "small". */
  readonly level?: LevelId;
}

export const TALK_SUMMARY =
  "Talk to a patient, a customer or a reviewer, find out the hidden kind of case, and conclude.";

const FULL_MOOD = 4;
const CALM_MOOD = 3;
const FIRST_MOOD = 2;
/** What a question costs one who is touchy, one that was asked before costs anybody, and a kind word twice in a row. */
const COSTS = { question: 1, repeated: 2, tired: 1 } as const;
const REPEAT_COST = 0.1;
/** A right conclusion is worth at least this. */
const LEAST_RIGHT = 0.5;

/**
 * People with a case that they do not name.
 *
 * @example
 * for await (const { goal } of createTalk({ who: "customer" }).tasks("train", { count: 1 })) console.log(goal); // A customer complains. Find out what would settle it and offer that.
 */
export function createTalk({ seed = 1, who = "patient", level = "small" }: TalkOptions = {}): Env {
  return drawnEnv({
    ...casesOf(seed, `${who} ${level}`),
    summary: TALK_SUMMARY,
    maxSteps: stepsFor(levels[level].topics),
    open: openCase,
  });
}

/** The cases with what they hide. */
export function drawnCases(seed: number, dial: string): DrawnTasks<Case> {
  return drawnTasks(casesOf(seed, dial));
}

function casesOf(seed: number, dial: string): DrawnWorld<Case> {
  return {
    id: "talk",
    seed,
    dial,
    draw: drawCase,
    key: caseKey,
    goal: ({ who }) => talkWords().people[who].task,
  };
}

/** A question and a kind word for each topic. */
function stepsFor(topics: number): number {
  return 2 * topics;
}

interface Standing {
  /** Topics that were spoken of, in their order; the complaint is the first. */
  readonly told: readonly string[];
  readonly mood: number;
  readonly repeats: number;
  /** The last remark. */
  readonly reply: string;
  readonly soothedLast: boolean;
  readonly steps: number;
  readonly ending: Ending | undefined;
  readonly isRight: boolean;
}

export function openCase(task: Task, one: Case): Episode {
  const person = talkWords().people[one.who];
  const opening = [
    task.goal,
    ...one.kinds.map(({ name, topics }) => `${name}: ${topics.join(", ")}.`),
    `Say: ${person.ask} TOPIC, ${person.soothe}, or ${person.conclude} NAME.`,
    say(person.opening, task, "opening", one.complaint),
  ].join("\n");
  const start: Standing = {
    told: [one.complaint],
    mood: FIRST_MOOD,
    repeats: 0,
    reply: opening,
    soothedLast: false,
    steps: 0,
    ending: undefined,
    isRight: false,
  };
  const worth = ({ isRight, repeats }: Standing): number =>
    isRight ? Math.max(LEAST_RIGHT, Math.round(100 * (1 - REPEAT_COST * repeats)) / 100) : 0;
  const reward = (standing: Standing): Score => scored(worth(standing));
  return episodeOf(task, start, {
    observation: ({ reply }) => reply,
    stateKey: ({ told, mood, repeats, soothedLast, ending, isRight }) =>
      `told ${told.toSorted().join(", ")}; mood ${mood}, repeats ${repeats}${soothedLast ? ", soothed" : ""}${ending === undefined ? "" : `, ${ending} ${isRight}`}`,
    ending: ({ ending }) => ending,
    reward,
    success: ({ ending, isRight }) => (ending === undefined ? null : isRight),
    admissible: ({ ending }) => (ending === undefined ? listActions(one, person) : []),
    irreversible: ({ ending }, action) => ending === undefined && conclusionOf(one, person, action) !== undefined,
    step: (before, action) => {
      const next = follow(task, one, person, before, action);
      const taken: Standing = { ...(next ?? before), steps: before.steps + 1 };
      const isLate = taken.ending === undefined && taken.steps >= stepsFor(one.topics.length);
      const state: Standing = isLate ? { ...taken, ending: "truncated" } : taken;
      const parts = {
        mood: state.mood / FULL_MOOD,
        fresh: state.told.length - before.told.length,
        repeat: state.repeats - before.repeats,
        right: Number(state.isRight),
        angry: Number(state.mood < FIRST_MOOD),
        refused: Number(next === undefined),
        late: Number(isLate),
      };
      return { state, valid: next !== undefined, reward: reward(state), info: { parts } };
    },
  });
}

function listActions({ topics, kinds }: Case, { ask, soothe, conclude }: Person): string[] {
  return [...topics.map((topic) => `${ask} ${topic}`), soothe, ...kinds.map(({ name }) => `${conclude} ${name}`)];
}

function conclusionOf({ kinds }: Case, { conclude }: Person, action: string): string | undefined {
  return kinds.find(({ name }) => action === `${conclude} ${name}`)?.name;
}

function follow(task: Task, one: Case, person: Person, before: Standing, action: string): Standing | undefined {
  const conclusion = conclusionOf(one, person, action);
  if (conclusion !== undefined) {
    const isRight = conclusion === one.kind.name;
    const reply = say(isRight ? person.right : person.wrong, task, "end");
    return { ...before, reply, ending: "terminated", isRight };
  }
  if (action === person.soothe) {
    const mood = before.soothedLast ? before.mood - COSTS.tired : Math.min(FULL_MOOD, before.mood + 1);
    const words = say(before.soothedLast ? person.tired : person.soothed, task, `soothe ${before.told.length}`);
    return answered(task, person, { ...before, mood, soothedLast: true }, words);
  }
  const topic = one.topics.find((known) => action === `${person.ask} ${known}`);
  if (topic === undefined) return undefined;
  if (before.told.includes(topic)) {
    const asked = { ...before, mood: before.mood - COSTS.repeated, repeats: before.repeats + 1, soothedLast: false };
    return answered(task, person, asked, say(person.repeated, task, "repeated", topic));
  }
  const mood = before.mood - (one.isTouchy ? COSTS.question : 0);
  // Who leaves has not answered.
  const told = mood > 0 ? [...before.told, topic] : before.told;
  // The words follow from the answer alone, so that they tell nothing else of the kind.
  const words = say(one.kind.topics.includes(topic) ? person.yes : person.no, task, topic, topic);
  return answered(task, person, { ...before, mood, told, soothedLast: false }, words);
}

/** The words in the tone of the mood; who has none left leaves without them. */
function answered(task: Task, person: Person, standing: Standing, words: string): Standing {
  const { mood } = standing;
  if (mood <= 0) {
    return { ...standing, mood: 0, reply: say(person.leaves, task, "end"), ending: "terminated" };
  }
  const { calm, short, angry } = talkWords().tones;
  const tone = say(
    mood >= CALM_MOOD ? calm : mood === FIRST_MOOD ? short : angry,
    task,
    `${standing.told.length} ${mood}`,
  );
  return { ...standing, reply: `${tone} ${words}` };
}

/** One of the wordings, always the same at the same place of a task. */
function say(wordings: readonly string[], task: Task, place: string, topic = ""): string {
  return writeWording(pick(wordings, createRng(task.id).split(place)) as string, { topic });
}
