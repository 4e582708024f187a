/** Tells a listener everything that happens in an environment: openings, steps, forks and closings, in order. */
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, StepResult } from "./env.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

interface Moment {
  /** Numbered from 0 in the order of opening and forking. */
  readonly episode: number;
}

export type Recorded =
  | (Moment & { readonly kind: "open"; readonly task: Task; readonly observation: string; readonly stateKey: string })
  | (Moment & {
      readonly kind: "step";
      readonly index: number;
      readonly action: string;
      readonly stateKey: string;
    } & StepResult)
  /** The new episode left `parent` before its step `index`. */
  | (Moment & { readonly kind: "fork"; readonly parent: number; readonly index: number })
  | (Moment & { readonly kind: "close" });

/**
 * `stateKey` of a step is the state after it. A second close of the same episode is not reported again.
 *
 * @example
 * const kinds: string[] = [];
 * const env = withRecording(await openEnv("household"), ({ kind }) => kinds.push(kind));
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   await episode.step("look");
 *   await episode.close();
 * }
 * console.log(kinds); // [ "open", "step", "close" ]
 */
export function withRecording(env: Env, listener: (event: Recorded) => void): Env {
  let opened = 0;
  const record = (inner: Episode, episode: number, before: number): Episode => {
    let taken = before;
    let closed = false;
    return wrapEpisode(inner, {
      step: async (action, options) => {
        const result = await inner.step(action, options);
        listener({ ...result, kind: "step", episode, index: taken, action, stateKey: inner.stateKey });
        taken += 1;
        return result;
      },
      fork: async () => {
        const fork = await inner.fork();
        const number = opened++;
        listener({ kind: "fork", episode: number, parent: episode, index: taken });
        return record(fork, number, taken);
      },
      close: async () => {
        await inner.close();
        if (!closed) listener({ kind: "close", episode });
        closed = true;
      },
    });
  };
  const open = (inner: Episode): Episode => {
    const episode = opened++;
    listener({ kind: "open", episode, task: inner.task, observation: inner.observation, stateKey: inner.stateKey });
    return record(inner, episode, 0);
  };
  return wrapEnv(env, open);
}
