/**
 * The contract of an expert: somebody an orchestrating policy can ask. An expert is a model with a skill, frozen, at a price.
 * It keeps nothing between two questions: everything it may know is in the question, so that episodes can be forked.
 */
import type { Rng } from "../base/index.ts";
import type { Seen } from "../env/index.ts";
import type { Task } from "../trajectory/index.ts";

export interface Question {
  readonly task: Task;
  /** What the orchestrator wants to know; the goal of the task where it did not say. */
  readonly query: string;
  /** The moments of the world so far, the present one last. */
  readonly past: readonly Seen[];
  /** For experts that guess. */
  readonly rng: Rng;
  readonly signal?: AbortSignal | undefined;
}

export interface Advice {
  /** What the orchestrator reads. */
  readonly text: string;
  /** The action it would take now; undefined where it would take none. */
  readonly action?: string;
}

export interface Expert {
  /** How it is called: a letter, then letters, digits and single hyphens or spaces. Unique in its registry. */
  readonly name: string;
  /** Which model with which skill. */
  readonly model: string;
  readonly skill: string;
  /** One line of the prompt; an orchestrator knows nothing else of an expert that it was not trained with. */
  readonly description: string;
  /** What one call costs, in units of the caller's own choice. */
  readonly price: number;
  advise(question: Question): Promise<Advice>;
}
