/** SPEAR: learns from fresh episodes, and again from its own best ones as long as they are no worse than what it does now. */
import { option } from "limbeck-base/base/option";
import { groupHistory, replayWeight, toolBonus } from "../credit/spear.ts";
import { prepareBatch } from "../credit/assign.ts";
import {
  type GroupHistory,
  type HeldRow,
  betterRows,
  extendHistory,
  powerOfTwoSample,
  recalibrate,
  recalibratedAdvantage,
  standing,
  withoutOld,
} from "../distill/imitation/replay-buffer.ts";
import { clipCov } from "../objective/clip-cov.ts";
import { scored, scoreValue } from "limbeck-base/trajectory/score";
import type { Json, JsonObject, Trajectory } from "limbeck-base/trajectory/trajectory";
import { rowFromJson, rowToJson } from "./kept-rows.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { drawsOf, keep, measure } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { surprise } from "../update/surprise.ts";

export const spear = defineRecipe({
  info: {
    title: "SPEAR",
    paper: "Learn the Ropes, Then Trust the Wins: Self-imitation with Progressive Exploration, arXiv 2509.22601",
    confidence: "code",
    source:
      "TencentYoutuResearch/SPEAR @ 7e843151; verl-agent/verl/trainer/ppo/ray_trainer_hybrid.py: prepare_for_selection, get_buffer",
    meaning:
      "Keeps its better rows in a buffer and, once that is full, imitates those that are still no worse than what groups earn of late, the more the longer it trains.",
    departures: [
      "The buffer holds 32 rows and the weight is full after 40 updates; published are more than 3,072 (1.5 times 2,048), of which only rows with more than the median of group means count, and 200 (preset paper): trainings here are shorter. Scripts for mathematics have 300 updates, and one of them a buffer of 32 (more than 48 rows) and a history of 32 groups. The full weight is 1, as in the scripts; the published configuration has 0.001.",
      "The bonus for using tools is off by default (setting toolBonus): household has none. Published scripts fade it over 200 updates (preset paper); here it is 100, the default of their configuration. A success is worth 10 in ALFWorld and WebShop, so that the bonus is at most a tenth of it there and as much as it here; the covariances that the clip bounds are ten times as large there too.",
      "Rows with mean advantage above 0 enter the buffer as one row per token stream, as everywhere here. Published code replays before the rows of the update enter, and draws 2,048 at most; here rows and group means enter first, and the draw has no limit. A single row that is left is replayed here; published code wants two, and one for each device. Rows just as good as the median stay in the mean with advantage 0 in both.",
      "Published code divides the replay's loss by a full mini-batch, so that 256 rows of 1,024 weigh a quarter, and takes a step for each mini-batch; here the weight is whole, and the steps are those of miniBatches. Its configuration replays 0.1 times the old advantage unless a script asks to judge anew, as all do.",
      "Rows are forgotten after 10 updates, the default of the published configuration, which counts from the newest row held; its scripts set 5 (preset paper). The history drops its oldest groups one by one, in published code by whole updates.",
      "The covariance clip acts on replayed rows alone, between 1 and 40. Published scripts clip fresh rows by it too (share 0.0002, 1 to 5), and have 2 to 60 for replayed ones in ALFWorld and WebShop. That loss has no dual clip; fresh rows here have one of 3 (preset paper: none).",
      "A published training gives no loss to responses that are too long, unfinished, repetitive or unreadable, keeps the 75% of groups whose rewards differ most and of their rows a power of two, and takes 0.1 from invalid actions of ALFWorld and WebShop; the recipe does none of this. Its configuration for these two adds an entropy bonus of 0.001, to the replay too (entropyWeight), which preset paper lacks.",
    ],
  },
  credit: "dr-grpo",
  settings: {
    bufferRows: option.count(32, "rows that make the buffer full"),
    maxAge: option.count(10, "updates after which a row is forgotten", 0),
    rampUpdates: option.count(40, "updates until imitation has its full weight"),
    history: option.count(10_240, "groups whose means are remembered"),
    scaled: option.flag(false, "also divide by the median deviation of groups"),
    silencedShare: option.share(0.02, "share of tokens that clip-cov silences"),
    toolBonus: option.flag(false, "reward calls of tools at the beginning of the training"),
    toolUpdates: option.count(100, "updates until that bonus is gone"),
    clipLow: sharedSettings.clipLow,
    clipHigh: { ...sharedSettings.clipHigh, default: 0.28 },
    aggregation: sharedSettings.aggregation,
  },
  presets: {
    // grpo_trainer/run_alfworld_spear.sh.
    paper: {
      tasks: 32,
      group: 8,
      maxSteps: 50,
      answerTokens: 512,
      learningRate: 1e-6,
      weightDecay: 0.01,
      bufferRows: 3_072,
      maxAge: 5,
      rampUpdates: 200,
      toolBonus: true,
      toolUpdates: 200,
      aggregation: "seq-mean-token-sum-norm",
      clipLow: 0.2,
      clipHigh: 0.28,
      dualClip: null,
      klWeight: 0,
    },
  },
  update: async (update, settings) => {
    // 1. Act, and learn from it as always.
    const played = await collect(update);
    const episodes = settings.toolBonus
      ? played.map((one) => withBonus(one, update.update, settings.toolUpdates))
      : played;
    const { rows, batch } = await credit(update, episodes);
    await learn(update, rows, "clipped");

    // 2. Remember how groups did, and the rows that were better than theirs.
    const before = readState(update.kept);
    const history = extendHistory(before.history, groupHistory(prepareBatch(batch)), settings.history);
    const scaling = { scale: settings.scaled, epsilon: 1e-6 };
    const scores = new Map(episodes.map(({ id, reward }) => [id, scoreValue(reward)]));
    const fresh = betterRows(rows).flatMap((row): HeldRow[] => {
      const score = scores.get(row.trajectory ?? "");
      if (score === undefined) return [];
      return [{ row, score, update: update.update, entered: recalibratedAdvantage(score, history, scaling) }];
    });
    const held = withoutOld([...before.held, ...fresh], update.update, settings.maxAge);
    measure(update, { "replay/held": held.length });
    const old = standing(held, update.update, history, scaling);
    if (old !== undefined) {
      measure(update, { "replay/oldRows": old.rows, "replay/oldEntered": old.entered, "replay/oldNow": old.now });
    }
    const band = widened(before.band, surprise(played));
    if (band !== undefined) measure(update, { "entropy/lowest": band.lowest, "entropy/highest": band.highest });

    // 3. Once there are enough, imitate those that are still better than groups of late.
    const full = held.length >= settings.bufferRows;
    keep(update, stateToJson({ history, held: full ? [] : held, band }));
    if (!full) return;
    const better = recalibrate(held, history, scaling);
    const replayed = powerOfTwoSample(better, drawsOf(update, "replay"));
    const weight = replayWeight(update.update, settings.rampUpdates);
    measure(update, { "replay/kept": better.length, "replay/rows": replayed.length, "replay/weight": weight });
    const { clipLow, clipHigh, aggregation, silencedShare: share } = settings;
    const objective = clipCov.create({
      clipLow,
      clipHigh,
      aggregation,
      share,
      covarianceLow: 1,
      covarianceHigh: 40,
      seed: update.update,
    });
    if (weight > 0) await learn(update, replayed, { name: "replay", weight, objective });
  },
});

/** Between what the entropy has been in all updates so far. */
interface Band {
  readonly lowest: number;
  readonly highest: number;
}

interface State {
  readonly history: GroupHistory;
  readonly held: readonly HeldRow[];
  readonly band: Band | undefined;
}

function widened(band: Band | undefined, entropy: number): Band | undefined {
  if (!Number.isFinite(entropy)) return band;
  return {
    lowest: Math.min(band?.lowest ?? entropy, entropy),
    highest: Math.max(band?.highest ?? entropy, entropy),
  };
}

function stateToJson({ history: { means, deviations }, held, band }: State): JsonObject {
  return {
    means: [...means],
    deviations: [...deviations],
    held: held.map(({ row, ...rest }) => ({ row: rowToJson(row), ...rest })),
    ...(band === undefined ? {} : { band: { ...band } }),
  };
}

function readState(kept: JsonObject | null): State {
  const numbers = (name: string): number[] => (kept?.[name] ?? []) as number[];
  const list = (kept?.["held"] ?? []) as readonly (Omit<HeldRow, "row"> & { readonly row: Json })[];
  return {
    history: { means: numbers("means"), deviations: numbers("deviations") },
    held: list.map(({ row, ...rest }) => ({ row: rowFromJson(row), ...rest })),
    band: kept?.["band"] as Band | undefined,
  };
}

/** A call is a step that the world says was one, or a reply with calls in it. */
function withBonus(trajectory: Trajectory, update: number, updates: number): Trajectory {
  const calls = trajectory.steps.filter(
    ({ info, reply }) => typeof info?.["tool"] === "string" || (reply?.toolCalls ?? []).length > 0,
  ).length;
  const value = scoreValue(trajectory.reward);
  if (value === undefined) return trajectory;
  return { ...trajectory, reward: scored(value + toolBonus(calls, update, updates)) };
}
