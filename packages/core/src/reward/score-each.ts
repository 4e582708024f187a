/** For rewards that score each trajectory elsewhere: an endpoint, a program, a model. */
import { mapLimit } from "limbeck-base/base/concurrency";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { CALL_SECONDS, inTime } from "./in-time.ts";
import type { Awards, Verdict } from "./reward.ts";
import { verdictAward } from "./verifier.ts";

export interface ScoreEachOptions {
  /** Calls at once. Default: 8. */
  readonly concurrency?: number;
  /** Seconds that one call may take. Default: 300. */
  readonly seconds?: number;
  /** What lies outside is a fault of the one who was asked. Default: no bounds. */
  readonly least?: number;
  readonly most?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks about each trajectory and gives its answers as awards. Whoever fails, hangs, or says what is no finite number
 * leaves that trajectory unscored, with the reason, and the others as they are.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 1 });
 * const { awards } = await scoreEach(trajectories, async ({ steps }) => 1 / steps.length);
 * console.log(awards[0]?.[0]?.score); // { kind: "scored", value: 1 }
 */
export async function scoreEach(
  batch: readonly Trajectory[],
  ask: (trajectory: Trajectory) => Verdict | Promise<Verdict>,
  { concurrency = 8, seconds = CALL_SECONDS, least, most, signal }: ScoreEachOptions = {},
): Promise<Awards> {
  const during = signal === undefined ? {} : { signal };
  const { verify = ask } = inTime({ verify: ask, ...during }, seconds);
  const award = async (own: Trajectory) => [await verdictAward(verify, own, least ?? null, most ?? null)];
  return { awards: await mapLimit(batch, concurrency, award, during) };
}
