/**
 * Episodes beside those of the update: the same tasks played again with extra text in the prompt, and given
 * actions as episodes, both written as the policy itself would have met them.
 */
import { withoutHint } from "../distill/without-hint.ts";
import { group as groupStrategy } from "../rollout/group.ts";
import { createHandover } from "../rollout/handover.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Task, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { agentFor } from "./agent.ts";
import { withInfo } from "./collect.ts";
import { timePhase, type UpdateContext } from "./context.ts";

export interface ToldRequest {
  /** Stands in the names of the episodes, and in the store as their phase: "hinted". */
  readonly label: string;
  readonly by: "policy" | "teacher";
  readonly temperature: number;
}

/** A task that is to be played, and the text added to its opening. The same task may come several times. */
export interface Told {
  readonly task: Task;
  readonly hint: string;
  /** Given to the episode, so that it is compared with others of it. */
  readonly group: string;
}

/**
 * Plays with a hint in the opening. What comes back has no hint in it, and log-probabilities of the policy as it is now:
 * as if it had done all that by itself. In order; undefined for an episode that was lost.
 */
export async function playTold(
  update: UpdateContext,
  told: readonly Told[],
  { label, by, temperature }: ToldRequest,
): Promise<(Trajectory | undefined)[]> {
  if (told.length === 0) return [];
  return await timePhase(update, "collect", async () => {
    const { env, dialect, signal } = update;
    const policy = by === "policy" ? update.model : update.teacherPolicy();
    const played = await Promise.all(
      roundsOf(told).map(async (round, at) => {
        const hints = new Map(round.map(({ told: { task, hint } }) => [task.id, hint]));
        const { trajectories } = await rollOut({
          env,
          agent: agentFor(update, { policy, temperature, tell: ({ id }) => hints.get(id) }),
          strategy: groupStrategy.create({ size: 1 }),
          tasks: round.map(({ told: { task } }) => task),
          seed: `${update.seed} update ${update.update} ${label} ${at}`,
          prefix: `${update.update}/${label}-${at}/`,
          signal,
        });
        const byTask = new Map(trajectories.map((one) => [one.task.id, one]));
        return round.map(({ place, told: { task, group } }) => ({ place, group, episode: byTask.get(task.id) }));
      }),
    );
    const plain: (Trajectory | undefined)[] = told.map(() => undefined);
    for (const { place, group, episode } of played.flat()) {
      if (episode === undefined || episode.ending === "failed") continue;
      const bare = withoutHint(episode, dialect);
      if (bare !== undefined) plain[place] = { ...bare, group };
    }
    const scored = await scoredAnew(update, plain);
    keepBeside(
      update,
      label,
      scored.filter((one) => one !== undefined),
    );
    return scored;
  });
}

/** Given actions as an episode of the policy's own, to be imitated; the world says whether they succeed. */
export async function playPlans(
  update: UpdateContext,
  plans: readonly { readonly task: Task; readonly actions: readonly string[] }[],
): Promise<readonly Trajectory[]> {
  return await timePhase(update, "collect", async () => {
    const given = new Map(plans.map(({ task, actions }) => [task.id, actions]));
    const { trajectories } = await rollOut({
      env: update.env,
      agent: agentFor(update, { temperature: 1 }),
      strategy: createHandover({ start: ({ id }) => ({ actions: given.get(id) ?? [], turns: 0 }), size: 1 }),
      tasks: plans.map(({ task }) => task),
      seed: `${update.seed} update ${update.update} imitated`,
      prefix: `${update.update}/imitated/`,
      signal: update.signal,
    });
    const own = trajectories.map(asOwn);
    keepBeside(update, "imitated", own);
    return own;
  });
}

function keepBeside({ update, record }: UpdateContext, phase: string, episodes: readonly Trajectory[]): void {
  record.beside.push(...episodes.map((one) => withInfo(one, { phase, update })));
}

/** Every task once in each round: a rollout plays a task under one hint. */
function roundsOf(told: readonly Told[]): { readonly place: number; readonly told: Told }[][] {
  const met = new Map<string, number>();
  const rounds: { place: number; told: Told }[][] = [];
  for (const [place, one] of told.entries()) {
    const round = met.get(one.task.id) ?? 0;
    met.set(one.task.id, round + 1);
    (rounds[round] ??= []).push({ place, told: one });
  }
  return rounds;
}

/** With log-probabilities of the present policy at its own tokens. */
async function scoredAnew(
  { model, signal }: UpdateContext,
  episodes: readonly (Trajectory | undefined)[],
): Promise<(Trajectory | undefined)[]> {
  const streams = episodes.flatMap((one) => one?.streams ?? []);
  const fitting = streams.filter(({ ids }) => ids.length <= model.config.contextLength);
  const scored = await model.score(
    fitting.map(({ ids, mask }) => ({ ids, mask })),
    { statistics: ["logprob"], signal },
  );
  const logprobs = new Map(fitting.map((stream, at) => [stream, scored[at]?.logprob]));
  return episodes.map((episode) => {
    if (episode === undefined) return undefined;
    const known = episode.streams.map((stream): TokenStream | undefined => {
      const own = logprobs.get(stream);
      // The log-probabilities are the present policy's now.
      const { versions: _theirs, ...kept } = stream;
      return own === undefined ? undefined : { ...kept, logprobs: own };
    });
    return known.includes(undefined) ? undefined : { ...episode, streams: known.filter((one) => one !== undefined) };
  });
}

/** Imposed answers as if the policy had given them; statistics of a sampling that never was are left out. */
function asOwn(trajectory: Trajectory): Trajectory {
  const streams = trajectory.streams.map(({ ids }, at) => {
    const mask = new Uint8Array(ids.length);
    for (const { span } of trajectory.steps) if (span?.stream === at) mask.fill(1, span.start, span.end);
    return { ids, mask };
  });
  return { ...trajectory, streams };
}
