/**
 * Early experience: what an agent can learn from its own actions without rewards. Nothing here reads a reward
 * or an outcome; tests scramble them all and get the same lessons.
 */
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { crossingsOf, type Taker, type Way } from "../pairs/crossings.ts";
import { inShort, reasonedLesson, type Lesson, type ThoughtPlace } from "./lesson.ts";

/** What the world showed after a step; undefined where nothing is known of it. */
export function observationAfter({ steps, closing }: Trajectory, { index }: Pick<Step, "index">): string | undefined {
  const next = steps.find((step) => step.index === index + 1);
  return next === undefined ? (index === steps.at(-1)?.index ? closing?.observation : undefined) : next.observation;
}

/**
 * Implicit world model: after each of the agent's own actions the world's reply is predicted. Of the same action at the
 * same point one lesson is enough, and of the expert's own action there is none.
 */
export function nextObservations(trajectories: readonly Trajectory[]): Lesson[] {
  return crossingsOf(trajectories).flatMap(({ ways }) =>
    ways.flatMap((way) => {
      const own = expertOf(way) === undefined ? way.takers[0] : undefined;
      const after = own === undefined ? undefined : observationAfter(own.trajectory, own.step);
      if (own === undefined || after === undefined || after === "") return [];
      return [{ trajectory: own.trajectory.id, step: own.step.index, learnAnswer: false, after }];
    }),
  );
}

/** The demonstrated actions, to be imitated. */
export function demonstratedSteps(trajectories: readonly Trajectory[]): Lesson[] {
  return crossingsOf(trajectories).flatMap(({ ways }) =>
    ways.flatMap((way) => {
      const given = expertOf(way);
      return given === undefined ? [] : [{ ...placeOf(given), learnAnswer: true }];
    }),
  );
}

export interface Tried {
  readonly action: string;
  /** What the world showed then. */
  readonly observation: string;
}

/** What an expert did at a point, what came of it, and what came of the agent's own ideas there. */
export interface Contrast {
  readonly trajectory: string;
  readonly step: number;
  readonly goal: string;
  readonly observation: string;
  readonly expert: Tried;
  readonly others: readonly Tried[];
}

/**
 * Points where an expert's action and other ones of the agent are known with what came of each.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 - 4</answer>" });
 * const { trajectories } = await rollout({ env: "countdown", policy, tasks: 1, group: 1 });
 * const shown = trajectories.map((own) => ({
 *   ...own,
 *   id: "shown",
 *   steps: own.steps.map((step) => ({ ...step, action: "<answer>10 + 9 + 4</answer>", info: { source: "expert" } })),
 *   closing: { observation: "Solved." },
 * }));
 * const [found] = contrasts([...trajectories, ...shown], { most: 1 });
 * console.log(found?.expert.observation); // Solved.
 * console.log(found?.others[0]?.observation); // Not solved: the value is 15, not 23.
 */
export function contrasts(trajectories: readonly Trajectory[], { most }: { readonly most: number }): Contrast[] {
  return crossingsOf(trajectories).flatMap(({ ways }) => {
    const expert = ways.map(expertOf).find((taker) => taker !== undefined);
    const shown = expert === undefined ? undefined : triedBy(expert);
    if (expert === undefined || shown === undefined) return [];
    const others = ways
      .filter(({ action }) => action !== shown.action)
      .flatMap(({ takers }) => {
        const own = takers.find(({ step }) => !isGiven(step));
        return own === undefined ? [] : (triedBy(own) ?? []);
      })
      .slice(0, most);
    if (others.length === 0) return [];
    const { goal } = expert.trajectory.task;
    return [{ ...placeOf(expert), goal, observation: expert.step.observation, expert: shown, others }];
  });
}

/** A reason in the first person, from what was seen and nothing else. */
export function contrastText({ expert, others }: Contrast, characters = 60): string {
  const tries = others.map(({ action, observation }) => `If I ${action}: ${inShort(observation, characters)}`);
  return [...tries, `If I ${expert.action}: ${inShort(expert.observation, characters)}`, `So: ${expert.action}.`].join(
    "\n",
  );
}

export interface ReflectionOptions {
  readonly place: ThoughtPlace;
  /** How an answer with a thought before its action is written. */
  readonly write: (thought: string, action: string) => string;
}

/**
 * One lesson for each contrast; `texts` are reasons, written by a chat model for example.
 *
 * @example
 * const expert = { action: "open drawer 1", observation: "You see a key." };
 * const others = [{ action: "look", observation: "Nothing happens." }];
 * const found = { trajectory: "a", step: 0, goal: "find the key", observation: "You see a drawer.", expert, others };
 * const [lesson] = reflections([found], { place: "before", write: (thought, action) => `${thought} ${action}` }, ["A drawer may hold it:"]);
 * console.log(lesson?.answer); // A drawer may hold it: open drawer 1
 */
export function reflections(
  found: readonly Contrast[],
  options: ReflectionOptions,
  texts: readonly string[] = found.map((contrast) => contrastText(contrast)),
): Lesson[] {
  return found.flatMap((contrast, at) => {
    const thought = texts[at]?.trim() ?? "";
    if (thought === "") return [];
    const { trajectory, step, expert } = contrast;
    return [reasonedLesson({ trajectory, step }, { action: expert.action, thought }, options)];
  });
}

function expertOf({ takers }: Way): Taker | undefined {
  return takers.find(({ step }) => isGiven(step));
}

function isGiven({ info }: Step): boolean {
  return info?.["source"] !== undefined;
}

function placeOf({ trajectory, step }: Taker): Pick<Lesson, "trajectory" | "step"> {
  return { trajectory: trajectory.id, step: step.index };
}

function triedBy({ trajectory, step }: Taker): Tried | undefined {
  const observation = observationAfter(trajectory, step);
  return observation === undefined ? undefined : { action: step.action, observation };
}
