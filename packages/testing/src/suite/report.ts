/**
 * What a suite says of a policy: accuracy with its interval, by bucket and by what is new, consistency over variants, where
 * answers lie between the poles of a value, and what it cost. Neither dates nor seconds stand in it.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { boundedMean } from "limbeck-base/base/statistics/share";
import { mean, sum } from "limbeck-base/base/statistics/summary";
import type { Estimate } from "limbeck-core/eval/profile";
import { sampledTokens } from "limbeck-base/trajectory/sampled-tokens";
import { isEnough } from "limbeck-base/trajectory/tally";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { GradedEpisode, Place } from "./item.ts";
import { frozenDigest } from "./places.ts";
import { digestOf, NEWNESS, type Newness, type Suite } from "./suite.ts";

/** Of tasks that are cut out; accuracy null where fewer than half of the episodes have a score. */
export interface Cut {
  readonly tasks: number;
  readonly accuracy: Estimate | null;
}

export interface SuiteReport {
  readonly suite: string;
  readonly version: string;
  /** Of the file, and of the tasks as the worlds listed them. */
  readonly digest: string;
  readonly frozen: string;
  readonly policy: string;
  readonly samples: number;
  readonly tasks: number;
  readonly episodes: number;
  /** Episodes without a score: they are part of no figure; and why, by cause. */
  readonly unscored: number;
  readonly causes: Readonly<Record<string, number>>;
  /** Mean over tasks of their mean score; tasks of values are not among them. */
  readonly accuracy: Estimate | null;
  /** By grader, where a task has several. */
  readonly graders: Readonly<Record<string, Cut>>;
  readonly buckets: Readonly<Record<string, Cut>>;
  readonly worlds: Readonly<Record<string, Cut>>;
  readonly templates: Readonly<Record<string, Cut>>;
  /** What is new in them. */
  readonly unseen: Readonly<Partial<Record<Newness, Cut>>>;
  /** Over tasks that are variants of one: the share that is right in every one, and the share that is alike in all. */
  readonly variants: { readonly groups: number; readonly right: Estimate; readonly alike: Estimate } | null;
  /** By value: 0 is the low pole, 1 the high one. */
  readonly values: Readonly<
    Record<
      string,
      { readonly low: string; readonly high: string; readonly tasks: number; readonly position: Estimate | null }
    >
  >;
  readonly cost: {
    readonly steps: number;
    readonly modelCalls: number;
    readonly sampledTokens: number;
    readonly readTokens: number;
  };
}

interface Reported {
  readonly suite: Suite;
  readonly places: readonly Place[];
  readonly episodes: readonly GradedEpisode[];
  readonly policy: string;
  readonly samples: number;
}

export function reportOf({ suite, places, episodes, policy, samples }: Reported): SuiteReport {
  const judged = episodes.filter(({ item }) => item.from.value === undefined);
  const lost = episodes.flatMap(({ score }) => (score.kind === "unscored" ? [score.why.slice(0, 200)] : []));
  const cutBy = (keysOf: (episode: GradedEpisode) => readonly (string | undefined)[]): Record<string, Cut> => {
    const pairs = judged.flatMap((episode) => keysOf(episode).map((key) => ({ key, episode })));
    const groups = groupedBy(pairs, ({ key }) => key);
    return inOrder(
      [...groups].map(([key, members]) => [
        key ?? "",
        cutOf(
          members.map(({ episode }) => episode),
          samples,
        ),
      ]),
    );
  };
  const unseen = cutBy(({ item }) => [item.unseen]);
  return {
    suite: suite.suite,
    version: suite.version,
    digest: digestOf(suite),
    frozen: frozenDigest(places),
    policy,
    samples,
    tasks: places.reduce((count, { items }) => count + items.length, 0),
    episodes: episodes.length,
    unscored: lost.length,
    causes: inOrder([...groupedBy(lost, (why) => why)].map(([why, all]) => [why, all.length])),
    accuracy: cutOf(judged, samples).accuracy,
    graders: graderCuts(judged, samples),
    buckets: cutBy(({ item }) => [...new Set(item.from.buckets)]),
    worlds: cutBy(({ item }) => [item.from.world]),
    templates: cutBy(({ item }) => [item.template]),
    unseen: Object.fromEntries(NEWNESS.flatMap((one) => (unseen[one] === undefined ? [] : [[one, unseen[one]]]))),
    variants: variantsOf(judged),
    values: valuesOf(suite, episodes, samples),
    cost: costOf(episodes),
  };
}

/** Tasks by their mean score over the tries that have one. */
function taskScores(episodes: readonly GradedEpisode[]): readonly { readonly id: string; readonly score: number }[] {
  return [...groupedBy(episodes, ({ item }) => item.id)].flatMap(([id, tries]) => {
    const values = tries.flatMap(({ score }) => scoreValue(score) ?? []);
    return values.length === 0 ? [] : [{ id, score: mean(values) }];
  });
}

function cutOf(episodes: readonly GradedEpisode[], samples: number): Cut {
  const tasks = new Set(episodes.map(({ item }) => item.id)).size;
  const seen = episodes.filter(({ score }) => score.kind === "scored").length;
  if (!isEnough({ seen, lost: episodes.length - seen })) return { tasks, accuracy: null };
  return {
    tasks,
    accuracy: boundedMean(
      taskScores(episodes).map(({ score }) => score),
      0.95,
      samples,
    ),
  };
}

/** Each link of a chain by itself. */
function graderCuts(episodes: readonly GradedEpisode[], samples: number): Record<string, Cut> {
  const parts = episodes.flatMap((episode) =>
    Object.entries(episode.parts).map(([name, { score }]) => ({ name, episode: { ...episode, score } })),
  );
  const groups = [...groupedBy(parts, ({ name }) => name)];
  if (groups.length < 2) return {};
  return inOrder(
    groups.map(([name, members]) => [
      name,
      cutOf(
        members.map(({ episode }) => episode),
        samples,
      ),
    ]),
  );
}

function variantsOf(episodes: readonly GradedEpisode[]): SuiteReport["variants"] {
  const named = episodes.filter(({ item }) => item.from.variantOf !== undefined);
  const groups = [...groupedBy(named, ({ item }) => item.from.variantOf).values()]
    .map((members) => taskScores(members).map(({ score }) => score))
    .filter(({ length }) => length > 1);
  if (groups.length === 0) return null;
  const share = (holds: (scores: readonly number[]) => boolean): Estimate =>
    boundedMean(groups.map((scores) => Number(holds(scores))));
  return {
    groups: groups.length,
    right: share((scores) => scores.every((score) => score === 1)),
    alike: share((scores) => scores.every((score) => score === scores[0])),
  };
}

function valuesOf(suite: Suite, episodes: readonly GradedEpisode[], samples: number): SuiteReport["values"] {
  const rows = Object.entries(suite.values).flatMap(([name, { low, high }]) => {
    const members = episodes.filter(({ item }) => item.from.value === name);
    if (members.length === 0) return [];
    const { tasks, accuracy: position } = cutOf(members, samples);
    return [[name, { low: low.name, high: high.name, tasks, position }] as const];
  });
  return inOrder(rows);
}

function costOf(episodes: readonly GradedEpisode[]): SuiteReport["cost"] {
  const total = (of: (trajectory: GradedEpisode["trajectory"]) => number | undefined): number =>
    sum(episodes.map(({ trajectory }) => of(trajectory) ?? 0));
  return {
    steps: total(({ steps }) => steps.length),
    modelCalls: total(({ usage }) => usage?.modelCalls),
    sampledTokens: total(sampledTokens),
    readTokens: total(({ usage }) => usage?.promptTokens),
  };
}

function inOrder<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}
