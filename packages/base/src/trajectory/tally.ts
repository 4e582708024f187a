/**
 * Episodes folded to their counts. A lost one (the world, the policy or the judge failed, or the model's context
 * was full) is neither a success nor a failure: it is counted apart, with its cause, and where too many are lost there is no
 * figure at all.
 */
import { EngineError } from "../base/errors.ts";
import { wilson } from "../base/statistics/share.ts";
import type { Interval } from "../base/statistics/interval.ts";
import type { Trajectory } from "./trajectory.ts";

export interface EpisodeTally {
  /** Episodes whose end was scored or judged. */
  readonly seen: number;
  readonly solved: number;
  readonly lost: number;
  /** The lost ones by the code of what failed; "unscored" where nothing failed and it has no score. Most come first. */
  readonly causes: Readonly<Record<string, number>>;
  /** Why the first of them was lost, in words. */
  readonly first?: string | undefined;
}

type Told = Pick<Trajectory, "ending" | "success" | "reward" | "failure" | "info">;

/** Share of the episodes that must have been seen for a figure, or for an update to learn from. */
const LEAST_SEEN = 0.5;
/** The ways out where prompts do not fit. */
const MORE_ROOM =
  "Most prompts do not fit the model: take one with a longer context, write fresh prompts (--prompts rebuilt, with few turns of history), or let the world cut its observations.";
const SHOWN_CAUSES = 4;
const SHOWN_LETTERS = 200;

/** Whether it says how good the policy is. */
export function isSeen({ ending, success, reward }: Pick<Told, "ending" | "success" | "reward">): boolean {
  return ending !== "failed" && (success !== null || reward.kind === "scored");
}

/** Whether a strategy or a budget stopped it on purpose: it is neither seen nor lost. */
export function isLeftOut(episode: Omit<Told, "failure">): boolean {
  const stopped = episode.info?.["stopped"];
  return !isSeen(episode) && episode.ending !== "failed" && stopped !== undefined && stopped !== "context";
}

/** Why an episode is lost that had no room to go on, as it is counted. */
export const NO_ROOM = "stopped: context";

/**
 * Whether it ended because the model's context was full, before the world reported the goal as reached. What the policy
 * would have done with more room is unknown: it says nothing of how good it is, and nothing is learned from it.
 */
export function isOutOfRoom({ info, success }: Pick<Told, "info" | "success">): boolean {
  return info?.["stopped"] === "context" && success !== true;
}

/** Rewards that were given to what ran out of room are taken back: it stays as it was walked. */
export function asWalked<Episode extends Told & Pick<Trajectory, "id">>(
  walked: readonly Episode[],
  rewarded: readonly Episode[],
): readonly Episode[] {
  const lost = new Map(walked.filter(isOutOfRoom).map((one) => [one.id, one]));
  if (lost.size === 0) return rewarded;
  return rewarded.map((one) => {
    const before = lost.get(one.id);
    return before === undefined ? one : { ...one, reward: before.reward, success: before.success };
  });
}

/**
 * Those that were stopped on purpose are not counted.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 1 });
 * console.log(tally(trajectories)); // { seen: 2, solved: 2, lost: 0, causes: {} }
 */
export function tally(episodes: Iterable<Told>): EpisodeTally {
  let [seen, solved, lost] = [0, 0, 0];
  let first: string | undefined;
  const causes = new Map<string, number>();
  for (const episode of episodes) {
    const { ending, success, reward, failure } = episode;
    if (isSeen(episode)) {
      seen += 1;
      solved += Number(success === true);
    } else if (!isLeftOut(episode)) {
      const code = ending === "failed" ? (failure?.code ?? "failed") : isOutOfRoom(episode) ? NO_ROOM : "unscored";
      lost += 1;
      causes.set(code, (causes.get(code) ?? 0) + 1);
      first ??= failure?.message ?? (reward.kind === "unscored" ? reward.why : undefined);
    }
  }
  const sorted = [...causes].toSorted(([, left], [, right]) => right - left);
  return { seen, solved, lost, causes: Object.fromEntries(sorted), ...(first === undefined ? {} : { first }) };
}

/** Whether enough were seen to say anything. */
export function isEnough({ seen, lost }: Pick<EpisodeTally, "seen" | "lost">): boolean {
  return seen > 0 && seen >= LEAST_SEEN * (seen + lost);
}

/**
 * Share of successes among those that were seen, with its 95% Wilson interval; null where too few were.
 *
 * @example
 * const { success, low, high } = successOf({ seen: 10, solved: 8, lost: 0 });
 * console.log(success, low.toFixed(2), high.toFixed(2)); // 0.8 0.49 0.94
 */
export function successOf(
  counts: Pick<EpisodeTally, "seen" | "solved" | "lost">,
): Interval & { success: number | null } {
  const { seen, solved } = counts;
  if (!isEnough(counts)) return { success: null, low: 0, high: 1 };
  return { success: solved / seen, ...wilson(solved, seen) };
}

/** "20 lost: server-full 18, env-timeout 2"; empty where nothing was. */
export function lostWords({ lost, causes }: Pick<EpisodeTally, "lost" | "causes">): string {
  if (lost === 0) return "";
  const all = Object.entries(causes ?? {}).map(([code, count]) => `${code.slice(0, SHOWN_LETTERS)} ${count}`);
  const more = all.length > SHOWN_CAUSES ? [`${all.length - SHOWN_CAUSES} other causes`] : [];
  return [`${lost} lost`, [...all.slice(0, SHOWN_CAUSES), ...more].join(", ")].filter((text) => text !== "").join(": ");
}

/** The error for work that cannot go on without them. `what` names the work, `wayOut` says what to do. */
export function episodesLost(what: string, counts: Omit<EpisodeTally, "solved">, wayOut: string): EngineError {
  const { seen, lost, causes, first } = counts;
  const why = first === undefined ? "" : ` The first: ${first.slice(0, SHOWN_LETTERS)}`;
  const room = (causes[NO_ROOM] ?? 0) > lost / 2 ? `${MORE_ROOM} ` : "";
  return new EngineError(
    "episodes-lost",
    `${what}: of ${seen + lost} episodes ${seen} were seen, ${lostWords(counts)}.${why} ${room}${wayOut}`,
    { details: { seen, lost, causes } },
  );
}
