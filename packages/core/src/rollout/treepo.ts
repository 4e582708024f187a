/** TreePO: paths are sampled in segments of equal length; after each segment the open places of the tree are shared out. */
import { option } from "limbeck-base/base/option";
import { pick, type Rng } from "limbeck-base/base/rng";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { isOwnStep, range } from "./ask.ts";
import { branching } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { allocateChildren, childBudget, pathWeights } from "../walk/shares.ts";
import { createLabels, ownTokens, pointAt, saidLogprob, sayTokens } from "./own-tokens.ts";

const REPEATED_CHARACTERS = 32;
const REPEATED_TIMES = 8;

const options = {
  width: option.count(16, "paths per task"),
  segment: option.limit(null, "tokens of a segment; none: a quarter of the task's first path", {
    least: 1,
    whole: true,
  }),
  segments: option.count(14, "segments of a path, where their tokens are given"),
  firstLeast: option.count(2, "fewest continuations of the root"),
  firstMost: option.limit(null, "most continuations of the root; none: a quarter of the width", {
    least: 1,
    whole: true,
  }),
  fanOut: option.count(2, "continuations a path brings to the budget"),
  sharing: option.choice("equal", ["equal", "unlikely", "likely"], "who gets more of the budget"),
  temperature: option.number(1, "temperature of the shares", { least: 1e-6 }),
  restart: option.choice(
    "boundary",
    ["boundary", "unlikely"],
    "where finished paths begin again: a random segment boundary, or the least likely token",
  ),
};

type TreepoOptions = OptionValues<typeof options>;

export const treepo = defineStrategy({
  info: {
    title: "TreePO",
    paper: "TreePO, arXiv 2508.17445",
    confidence: "code",
    source:
      "multimodal-art-projection/TreePO @ f0555239; recipe/treepo/vllm_rollout_tree.py; verl/workers/rollout/vllm_rollout/vllm_rollout_spmd.py: generate_sequences_tree_deepth_first_vanilla_mode; run_treepo_train.sh",
    formula: [
      "without a segment: the first path goes to its end alone, and a quarter of its tokens is the segment; the others part from it where its segments end",
      "every path says `segment` tokens; it leaves when its episode ends, after `segments` segments, or when it repeats itself",
      "B = min(width - finished, fanOut * finishedNow + fanOut * active), at least 1 child per path",
      "shares: equal, the remainder to the last; or softmax(-(lp - min) / T), largest remainder (unlikely), or its inverse (likely)",
      "nothing to deepen and places left: restart a finished path at a random segment boundary, or at its least likely token",
    ],
    meaning: "Grows a tree of equal segments and shares its open places among the paths after each.",
    departures: [
      "A segment goes on over steps of the world: it counts sampled tokens only.",
      `Repetition (a piece of ${REPEATED_CHARACTERS} characters ${REPEATED_TIMES} times) is looked for in the answers of finished steps, without overlaps; published code looks in the last segment alone, and counts overlaps.`,
      "The first divergence is drawn evenly between firstLeast and firstMost, which is a quarter of the width by default (published: 2 to 8; its script sets the 8 where the code does not read it, which leaves 2).",
      "Published segments are 512 tokens, for long thoughts; here they are sized to what the task's first path says. Nothing is then cut for its depth.",
      "Where nothing is left to deepen, the published script takes the paths that have an end, in random order, and continues each twice until the width is full, or begins at the root where none has one; here each free place takes a path at random, with an end or without. A published restart goes back to any boundary of the whole path, as often to the root as to any other, or to its least likely token; here to one that the path reached or sampled itself, after it left its parent. (The script's window of -1 is one with which the published draw fails; its default is a segment.)",
      "Shares by likelihood go by the sum of a path's log-probabilities here; published code has their mean too, and the mean of the last segment (its script shares equally).",
      "Published paths are whole once a segment holds a boxed answer and the end; here when the episode ends.",
    ],
  },
  needs: ["fork", "tokens"],
  effect: branching,
  options,
  create: (options) => ({
    run: async (scope) => {
      await scope.each(scope.tasks, (own, task) => grow(own, task, options), { walks: options.width });
    },
  }),
});

/** Where a segment began, in the walk's own steps and tokens. */
interface SegmentStart {
  readonly step: number;
  readonly token: number;
}

interface Path {
  readonly walk: Walk;
  /** Depth and tokens in hand when it left its parent: these tokens are the parent's. */
  readonly born: { readonly depth: number; readonly said: number };
  /** Log-probability of the path before its own tokens. */
  readonly before: number;
  readonly places: SegmentStart[];
  segments: number;
  /** Of a path that has gone to its end already: where its segments end that are not over yet. */
  readonly ahead?: SegmentStart[];
  /** Of such a path: its last segment is over too. */
  over?: boolean;
}

/** Into how many segments the first path is cut where their length is not given. */
const QUARTERS = 4;

/** A path that is open stands at a place where others may leave it. */
function isOpen({ walk, ahead, over }: Path): boolean {
  return ahead === undefined ? walk.ending === undefined : over !== true;
}

function pathOf(walk: Walk, before: number, segments: number): Path {
  const born = { depth: walk.depth, said: walk.said };
  return { walk, born, before, places: [{ step: walk.depth, token: 0 }], segments };
}

/** Options in which the length of a segment is known. */
type Sized = TreepoOptions & { readonly segment: number };

/** The first path, and how long segments are: as given, or by what the path says, which then goes to its end. */
async function firstPath(
  walk: Walk,
  { segment, segments }: TreepoOptions,
): Promise<[Path, Pick<Sized, "segment" | "segments">]> {
  const path = pathOf(walk, 0, 0);
  if (segment !== null) return [path, { segment, segments }];
  await walk.advance();
  const tokens = ownTokens(walk);
  const sized = Math.max(1, Math.ceil(tokens.length / QUARTERS));
  const ahead = range(QUARTERS - 1).flatMap((quarter) => tokens[(quarter + 1) * sized] ?? []);
  return [
    { ...path, ahead },
    { segment: sized, segments: Infinity },
  ];
}

async function grow(scope: Scope, task: Task, given: TreepoOptions): Promise<void> {
  const labelFor = createLabels();
  const root = await scope.open(task, 0, { bookmarks: true });
  if (root === undefined) return;
  const [start, sized] = await firstPath(root, given);
  const options: Sized = { ...given, ...sized };
  const { width, firstLeast, firstMost } = options;
  if (start.ahead !== undefined && (root.ending === "failed" || !isOwnStep(root, 0))) {
    // Nothing can leave a path that was lost: the others are episodes of their own.
    await scope.each(range(width - 1), async (own, at) => (await own.open(task, at + 1))?.advance());
    return;
  }
  const most = Math.max(firstLeast, firstMost ?? Math.floor(width / QUARTERS));
  const first = firstLeast + scope.rng.split("first").int(most - firstLeast + 1);
  let active = [start];
  active.push(...(await children(start, Math.min(width, first) - 1, labelFor)));
  const finished: Path[] = [];
  for (let round = 0; active.length > 0; round += 1) {
    await scope.together(
      active.map(({ walk }) => walk),
      (_, at) => saySegment(active[at] as Path, options),
    );
    const open = active.filter(isOpen);
    const finishedNow = active.length - open.length;
    finished.push(...active.filter((path) => !isOpen(path)));
    active = await deepen(open, { finished: finished.length, finishedNow }, options, labelFor);
    if (active.length === 0) active = await restarts(finished, options, scope.rng.split(`restart ${round}`), labelFor);
  }
}

/** Says one segment, over as many steps as it takes, and stops paths that are too deep or repeat themselves. */
async function saySegment(path: Path, { segment, segments }: Sized): Promise<void> {
  const { walk, born, places, ahead } = path;
  if (ahead !== undefined) {
    path.segments += 1;
    const next = ahead.shift();
    if (next === undefined) path.over = true;
    else places.push(next);
    return;
  }
  await sayTokens(walk, segment);
  path.segments += 1;
  if (walk.ending !== undefined) return;
  if (path.segments >= segments) return await walk.stop("depth", { scored: true });
  if (isRepetitive(saidText(walk), REPEATED_CHARACTERS, REPEATED_TIMES))
    return await walk.stop("repetition", { scored: true });
  places.push({ step: walk.depth, token: walk.said - (walk.depth === born.depth ? born.said : 0) });
}

function saidText({ episode }: Walk): string {
  return episode.map(({ action, info }) => (typeof info?.["said"] === "string" ? info["said"] : action)).join("\n");
}

async function deepen(
  open: readonly Path[],
  counts: { readonly finished: number; readonly finishedNow: number },
  options: Sized,
  labelFor: (walk: Walk) => number,
): Promise<Path[]> {
  const { width, fanOut, sharing, temperature } = options;
  const budget = childBudget({ width, fanOut, active: open.length, ...counts });
  const logprobs = sharing === "equal" ? open.map(() => 0) : open.map(logprobOf);
  const shares = allocateChildren(budget, pathWeights(logprobs, sharing, temperature), sharing);
  const next: Path[] = [];
  // Side by side, since the last of them gets the remainder of equal shares.
  for (const [at, path] of open.entries())
    next.push(path, ...(await children(path, (shares[at] as number) - 1, labelFor)));
  return next;
}

/** Further paths from where one stands. */
async function children(path: Path, count: number, labelFor: (walk: Walk) => number): Promise<Path[]> {
  const { walk } = path;
  const made: Path[] = [];
  for (const _ of range(count)) {
    const label = labelFor(walk);
    const child =
      path.ahead === undefined ? await walk.fork(label) : await walk.branchAt(pointAt(standing(path)), label);
    if (child === undefined) break;
    made.push(pathOf(child, logprobOf(path), path.segments));
  }
  return made;
}

/** Where a path stands that has gone to its end already. */
function standing({ places }: Path): SegmentStart {
  return places.at(-1) as SegmentStart;
}

/** Log-probability of a path as far as it stands. */
function logprobOf(path: Path): number {
  const { walk, before, ahead } = path;
  return before + (ahead === undefined ? saidLogprob(walk) : logprobBefore(walk, standing(path)));
}

/** Fills the places that are left from finished paths. */
async function restarts(
  finished: readonly Path[],
  options: Sized,
  rng: Rng,
  labelFor: (walk: Walk) => number,
): Promise<Path[]> {
  const usable = finished
    .filter(({ walk }) => walk.ending !== "failed")
    .map((path) => ({ path, places: usablePlaces(path, options.restart) }))
    .filter(({ places }) => places.length > 0);
  const made: Path[] = [];
  for (const _ of range(options.width - finished.length)) {
    const chosen = pick(usable, rng);
    const place = pick(chosen?.places ?? [], rng);
    if (chosen === undefined || place === undefined) break;
    const { path } = chosen;
    // A token of the last segment that is allowed: from that segment's beginning, so that no path gets longer.
    const last = path.places.at(-1) as SegmentStart;
    const from = segmentsBefore(path, place) >= options.segments ? last : place;
    const walk = await path.walk.branchAt(pointAt(from), labelFor(path.walk));
    if (walk === undefined) break;
    made.push(pathOf(walk, path.before + logprobBefore(path.walk, from), segmentsBefore(path, from)));
  }
  return made;
}

function segmentsBefore({ segments, places }: Path, place: SegmentStart): number {
  return Math.max(0, segments - places.filter((other) => isBefore(place, other) || same(place, other)).length);
}

function usablePlaces({ walk, places }: Path, restart: TreepoOptions["restart"]): SegmentStart[] {
  const tokens = ownTokens(walk);
  if (restart === "unlikely") {
    const [least] = tokens.toSorted((left, right) => left.logprob - right.logprob);
    return least === undefined ? [] : [least];
  }
  return places.filter(
    ({ step, token }) =>
      isOwnStep(walk, step) && (token === 0 || tokens.some((own) => own.step === step && own.token === token)),
  );
}

function logprobBefore(walk: Walk, place: SegmentStart): number {
  return ownTokens(walk).reduce((sum, own) => (isBefore(own, place) ? sum + own.logprob : sum), 0);
}

function isBefore(left: SegmentStart, right: SegmentStart): boolean {
  return left.step < right.step || (left.step === right.step && left.token < right.token);
}

function same(left: SegmentStart, right: SegmentStart): boolean {
  return left.step === right.step && left.token === right.token;
}

/** Whether a text turns in circles: some piece of `length` characters stands in it `times` times, not overlapping itself. */
export function isRepetitive(text: string, length: number, times: number): boolean {
  const seen = new Map<string, { count: number; end: number }>();
  for (let start = 0; start + length <= text.length; start += 1) {
    const piece = text.slice(start, start + length);
    const known = seen.get(piece);
    if (known === undefined) seen.set(piece, { count: 1, end: start + length });
    else if (start >= known.end) {
      known.count += 1;
      known.end = start + length;
    }
    if ((seen.get(piece)?.count ?? 0) >= times) return true;
  }
  return false;
}
