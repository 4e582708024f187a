/** Outcomes that come later: found by the id of the trajectory, kept beside it as rewards. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { FeedbackSchema, type Feedback } from "../store/formats/recorded-lines.ts";
import { feedbackRewards } from "../store/formats/recorded-trajectory.ts";
import { quote } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";
import type { Reward } from "limbeck-base/trajectory/trajectory";

export interface FeedbackGiven {
  readonly run: string;
  readonly trajectory: string;
  readonly rewards: readonly Reward[];
}

/**
 * Parses feedback that was sent.
 *
 * @example
 * console.log(readFeedback({ success: true, comment: "Well done." })); // { success: true, comment: "Well done." }
 */
export function readFeedback(value: unknown): Feedback {
  const parsed = FeedbackSchema.safeParse(value);
  if (!parsed.success) {
    throw new EngineError("bad-feedback", `This is not feedback: ${z.prettifyError(parsed.error)}`);
  }
  if (feedbackRewards(parsed.data).length === 0) {
    throw new EngineError(
      "bad-feedback",
      "The feedback says nothing. Give success, a score, a named reward or a comment.",
    );
  }
  return parsed.data;
}

/**
 * Adds feedback to a stored trajectory, in the run that holds it. `run`: where several hold it.
 *
 * @example
 * import { openStore } from "limbeck/store";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-runs-"));
 * const store = openStore(folder);
 * const run = await store.createRun({ kind: "rollout" });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1, sink: run });
 * await run.close();
 * await addFeedback(store, trajectories[0]?.id ?? "", { success: false, comment: "Too slow." });
 * for await (const { success } of store.trajectories()) console.log(success); // false
 * await store.close();
 * rmSync(folder, { recursive: true });
 */
export async function addFeedback(
  store: Store,
  trajectory: string,
  feedback: Feedback,
  run?: string,
): Promise<FeedbackGiven> {
  const home = run ?? (await homeOf(store, trajectory));
  return await addRewards(store, home, trajectory, feedbackRewards(feedback));
}

/**
 * The same with rewards that are made already, of a judge for instance.
 *
 * @example
 * import { openStore } from "limbeck/store";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-runs-"));
 * const store = openStore(folder);
 * const run = await store.createRun({ kind: "rollout" });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1, sink: run });
 * await run.close();
 * await addRewards(store, run.run, trajectories[0]?.id ?? "", [{ name: "score", source: "me", score: scored(0.5) }]);
 * for await (const { reward } of store.trajectories()) console.log(reward); // { kind: "scored", value: 0.5 }
 * await store.close();
 * rmSync(folder, { recursive: true });
 */
export async function addRewards(
  store: Store,
  run: string,
  trajectory: string,
  rewards: readonly Reward[],
): Promise<FeedbackGiven> {
  const writer = await store.openRun(run, { beside: true });
  for (const reward of rewards) await writer.addReward(trajectory, reward);
  await writer.close();
  return { run, trajectory, rewards };
}

async function homeOf(store: Store, trajectory: string): Promise<string> {
  const { rows } = await store.query(
    `select distinct run from trajectories where id = ${quote(trajectory)} order by run`,
    { skipBroken: true, trusted: true },
  );
  const runs = rows.map(([run]) => String(run));
  const [only] = runs;
  if (only === undefined) {
    throw new EngineError(
      "trajectory-missing",
      `No trajectory "${trajectory}" is stored, so there is nothing to give feedback on. One that is still being recorded is stored when it ends or has been quiet for a while.`,
      { details: { trajectory } },
    );
  }
  if (runs.length > 1) {
    throw new EngineError(
      "ambiguous-id",
      `Trajectory "${trajectory}" is in ${runs.length} runs: ${runs.join(", ")}. Name one.`,
      {
        details: { trajectory, runs },
      },
    );
  }
  return only;
}
