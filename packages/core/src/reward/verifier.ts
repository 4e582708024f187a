/** What a function says about a finished trajectory: tests that pass, an answer that is right, a proof that checks. */
import { mapLimit } from "limbeck-base/base/concurrency";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { concurrencyOption } from "./each-episode.ts";
import { failureScore, oneLine } from "./failure-text.ts";
import { defineAskingReward, type Award, type Givens, type Verdict } from "./reward.ts";

export const verifier = defineAskingReward({
  id: "verifier",
  info: {
    title: "Verifier",
    meaning: "What a function of yours says about the finished trajectory; a failure of the function is not a zero.",
    paper: "Common practice",
    confidence: "practice",
    formula: ["R = verify(trajectory);   true is 1, false is 0, null is unscored"],
    departures: ["NaN, a value out of bounds and an exception are unscored, with the reason."],
  },
  needs: ["verify"],
  options: {
    least: option.limit(null, "a lower value is a fault of the verifier"),
    most: option.limit(null, "a higher value is a fault of the verifier"),
    concurrency: concurrencyOption("calls at once"),
  },
  score: async (batch, { least, most, concurrency }, { verify, signal }) => ({
    awards: await mapLimit(
      batch,
      concurrency,
      async (trajectory) => [await verdictAward(verify, trajectory, least, most)],
      signal === undefined ? {} : { signal },
    ),
  }),
});

/** What it says, or why that is no score. */
export async function verdictAward(
  verify: NonNullable<Givens["verify"]>,
  trajectory: Trajectory,
  least: number | null,
  most: number | null,
): Promise<Award> {
  try {
    const verdict: Verdict | undefined = await verify(trajectory);
    const told = typeof verdict === "object" && verdict !== null ? verdict : { score: verdict };
    const comment = "comment" in told && typeof told.comment === "string" ? { comment: oneLine(told.comment) } : {};
    return { score: toScore(told.score, least, most), ...comment };
  } catch (error) {
    return { score: failureScore("the verifier", error) };
  }
}

function toScore(value: unknown, least: number | null, most: number | null): Score {
  if (typeof value === "boolean") return scored(value ? 1 : 0);
  if (value === null || value === undefined) return unscored("the verifier could not say");
  if (typeof value !== "number" || !Number.isFinite(value)) {
    const said = typeof value === "number" ? String(value) : `something of type ${typeof value}`;
    return unscored(`the verifier said ${said}, which is not a finite number`);
  }
  const inside = value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
  if (inside) return scored(value);
  return unscored(`the verifier said ${value}, outside ${least ?? "-infinity"} to ${most ?? "infinity"}`);
}
