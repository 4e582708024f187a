/** An episode with a way back: every step leaves a fork of the moment before it. */
import { createRng } from "../../base/index.ts";
import { advice } from "../../env/expert.ts";
import type { Demonstrator, Env, Episode, Seen, StepResult } from "../../env/index.ts";
import { scoreValue, type Task } from "../../trajectory/index.ts";

export interface PlaySession {
  readonly episode: Episode;
  readonly steps: number;
  /** Everything that was done and not taken back. */
  readonly actions: readonly string[];
  act(action: string): Promise<StepResult>;
  /** False at the opening, where there is nothing to take back. */
  undo(): Promise<boolean>;
  hint(demonstrator: Demonstrator): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function startSession(env: Env, task: Task, signal: AbortSignal): Promise<PlaySession> {
  let episode = await env.open(task, { signal });
  const earlier: Episode[] = [];
  const seen: Seen[] = [moment(episode, undefined)];
  return {
    get episode() {
      return episode;
    },
    get steps() {
      return earlier.length;
    },
    get actions() {
      return seen.flatMap(({ action }) => (action === undefined ? [] : [action]));
    },
    act: async (action) => {
      const before = await episode.fork();
      const result = await episode.step(action, { signal });
      earlier.push(before);
      seen.push(moment(episode, action));
      return result;
    },
    undo: async () => {
      const before = earlier.pop();
      if (before === undefined) return false;
      await episode.close();
      episode = before;
      seen.pop();
      return true;
    },
    hint: (demonstrator) => advice(demonstrator, task, seen, createRng(task.seed)),
    close: async () => {
      for (const held of [...earlier, episode]) await held.close();
    },
  };
}

function moment(episode: Episode, action: string | undefined): Seen {
  return { action, observation: episode.observation, admissible: episode.admissible() };
}

/** One step as data. The opening is step 0, of no action. */
export function stepData(session: PlaySession, action: string | null, result: StepResult | undefined): object {
  const { episode, steps } = session;
  const { ending } = episode;
  return {
    step: steps,
    action,
    observation: episode.observation,
    admissible: episode.admissible() ?? null,
    reward: result === undefined ? 0 : (scoreValue(result.reward) ?? null),
    done: ending !== undefined,
    ending: ending ?? null,
    // A world that is still undecided has not succeeded yet; one that ended without a verdict says null.
    success: episode.success ?? (ending === undefined ? false : null),
    valid: result?.valid ?? true,
  };
}
