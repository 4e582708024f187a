/**
 * What a policy is shown: whether the next message goes on in the same context or opens a fresh one. The same for
 * policies with tokens and for chats. A prompter is a value: reading and hearing give the next one, so that a fork
 * costs nothing.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { ActionForm } from "./action-form.ts";
import type { Decision, Moment } from "./agent.ts";

export interface Prompter {
  /** The next message, and the prompter that has shown it. */
  show(moment: Moment): { readonly message: PromptMessage; readonly next: Prompter };
  /** Reads an answer; returns the prompter after it. */
  hear(answer: string): { readonly decision: Heard; readonly next: Prompter };
}

export interface PromptMessage {
  /** "fresh" opens a context of its own; "append" goes on in the one in hand. */
  readonly kind: "fresh" | "append";
  readonly text: string;
  /** The same without guidance. */
  readonly base: string;
}

export type Heard = Pick<Decision, "action" | "readable" | "internal" | "info">;

/** Makes the prompter of an episode. */
export type Prompting = (task: Task, form: ActionForm) => Prompter;

/** Guidance stands after the observation, one blank line apart. */
export function withGuidance(observation: string, guidance: string | undefined): string {
  return guidance === undefined ? observation : `${observation}\n\n${guidance}`;
}

/**
 * The same prompting with another opening: `change` rewrites the first observation of an episode, and no other.
 *
 * @example
 * import { appendOnly, plainForm } from "limbeck/search";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * const prompting = withOpening(appendOnly, (observation, { goal }) => `Goal: ${goal}. ${observation}`);
 * console.log(prompting(task, plainForm).show(moment).message.text); // Goal: find a cup. You see a shelf.
 */
export function withOpening(prompting: Prompting, change: (observation: string, task: Task) => string): Prompting {
  return (task, form) => {
    const around = (inner: Prompter): Prompter => ({
      show: (moment) => {
        const { message, next } = inner.show(
          moment.step === 0 ? { ...moment, observation: change(moment.observation, task) } : moment,
        );
        return { message, next: around(next) };
      },
      hear: (answer) => {
        const { decision, next } = inner.hear(answer);
        return { decision, next: around(next) };
      },
    });
    return around(prompting(task, form));
  };
}

/**
 * One conversation that only grows: each observation is the next message.
 *
 * @example
 * import { plainForm } from "limbeck/search";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * const { message, next } = appendOnly(task, plainForm).show(moment);
 * console.log(message.kind, next.show(moment).message.kind); // fresh append
 */
export function appendOnly(_task: Task, form: ActionForm): Prompter {
  const make = (opened: boolean): Prompter => ({
    show: ({ observation, guidance }) => ({
      message: { kind: opened ? "append" : "fresh", text: withGuidance(observation, guidance), base: observation },
      next: opened ? after : make(true),
    }),
    hear: (answer) => ({ decision: form.read(answer), next: opened ? after : make(opened) }),
  });
  const after = make(true);
  return make(false);
}

// Prompts that are rebuilt for every step, with a bounded history: each step has a context of its own.

export interface PastTurn {
  /** From 1, as a reader counts. */
  readonly number: number;
  readonly observation: string;
  readonly action: string;
}

export interface RebuiltOptions {
  /** How many of the latest turns are shown. */
  readonly turns: number;
  readonly format?: (task: Task, turns: readonly PastTurn[], observation: string) => string;
}

/**
 * Prompts that show the latest turns.
 *
 * @example
 * import { plainForm } from "limbeck/search";
 *
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * const moment = { step: 0, observation: "You see a shelf.", action: undefined, admissible: () => undefined };
 * const prompter = rebuiltPrompts({ turns: 1, format: (_, turns) => turns.map(({ action }) => action).join() })(task, plainForm);
 * console.log(prompter.show(moment).next.hear("open drawer").next.show(moment).message.text); // open drawer
 */
export function rebuiltPrompts({ turns: most, format = plainPrompt }: RebuiltOptions): Prompting {
  if (!(Number.isInteger(most) && most >= 0)) {
    throw new EngineError("bad-history", `A history of ${most} turns is not a whole number of at least 0.`);
  }
  return (task, form) => {
    const make = (turns: readonly PastTurn[], count: number, observation: string): Prompter => ({
      show: (moment) => {
        const base = format(task, turns, moment.observation);
        const text = withGuidance(base, moment.guidance);
        return { message: { kind: "fresh", text, base }, next: make(turns, count, moment.observation) };
      },
      hear: (answer) => {
        const decision = form.read(answer);
        const kept = [...turns, { number: count + 1, observation, action: decision.action }];
        return { decision, next: make(most === 0 ? [] : kept.slice(-most), count + 1, observation) };
      },
    });
    return make([], 0, "");
  };
}

/** The goal is in the opening observation, which a bounded history loses; so it stands first. */
function plainPrompt(task: Task, turns: readonly PastTurn[], observation: string): string {
  if (turns.length === 0) return observation;
  const past = turns.map((turn) => `Step ${turn.number}\nYou saw: ${turn.observation}\nYou did: ${turn.action}`);
  return [`Your task: ${task.goal}`, ...past, `Now\n${observation}`].join("\n\n");
}
