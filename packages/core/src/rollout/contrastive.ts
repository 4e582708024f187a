/** Sol-RL: a copy in eight bits explores, and only the seeds whose returns differ most are played again with the whole weights. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { drawnKinds } from "../walk/purse.ts";
import { range } from "./ask.ts";
import { notedEpisodes, type Looked } from "./effect.ts";
import { defineStrategy, type Scope } from "./strategy.ts";

interface Explored {
  /** Undefined where it is unscored. */
  readonly value: number | undefined;
  readonly tokens: number;
}

/**
 * The members to play again, in their order: the `best` highest and the `worst` lowest returns, of equals the earlier one. Where all are
 * equal there is no contrast, and two are enough to keep the group; where nothing was scored, the first two show why.
 */
export function contrastiveSubset(
  values: readonly (number | undefined)[],
  { best, worst }: Pick<ContrastiveOptions, "best" | "worst">,
): number[] {
  const scored = range(values.length).filter((at) => values[at] !== undefined);
  const value = (at: number): number => values[at] as number;
  if (scored.length === 0) return range(Math.min(2, values.length));
  if (scored.every((at) => value(at) === value(scored[0] as number))) return scored.slice(0, 2);
  const down = scored.toSorted((left, right) => value(right) - value(left) || left - right);
  const up = scored.toSorted((left, right) => value(left) - value(right) || left - right);
  const top = down.slice(0, best);
  const low = up.filter((at) => !top.includes(at)).slice(0, worst);
  return [...top, ...low].toSorted((left, right) => left - right);
}

const options = {
  size: option.count(16, "episodes per task that the copy in eight bits explores"),
  best: option.count(2, "seeds with the highest returns that are played again"),
  worst: option.count(2, "seeds with the lowest returns that are played again"),
};

type ContrastiveOptions = OptionValues<typeof options>;

export const contrastive = defineStrategy({
  info: {
    title: "Contrastive subset (Sol-RL)",
    paper: "FP4 Explore, BF16 Train (Sol-RL), arXiv 2604.06916",
    confidence: "code",
    source:
      "NVlabs/Sana @ 5498e5b2; train_scripts/sol_rl/train_utils.py: select_indices_by_mode; train_sana.py; configs/sol_rl/sana.py",
    formula: [
      "explore: size episodes per task by a copy of the policy with int8 matrices, the seeds those of the members",
      "keep: the best highest and the worst lowest returns of each task, of equals the earlier seed; two where all returns are equal",
      "play the kept seeds again with the whole weights; only these episodes are stored and learnt from",
    ],
    meaning:
      "Explores with a copy in eight bits and plays only the seeds whose returns differ most again with the whole weights.",
    departures: [
      "A seed that ties make both one of the best and one of the worst counts among the best, and the next one takes its place; published code may play and learn it twice.",
      "Episodes of the copy without a score are not chosen; where none has one, the first two are played again. In published code every image has a reward.",
      "Published code selects once more by the returns of those played again; its configurations keep as many as were played, so this is left out (where returns around the middle are equal it may take one twice and leave another).",
      "The policy of the moment explores and plays; in published code a slowly following copy of it (adapter old) does both.",
      "Every matrix is in eight bits; published code keeps embeddings, the last layer, the query-key-value projections and small layers in whole precision.",
      "Episodes of a language model in the place of images of a diffusion model, int8 in the place of FP4.",
      "Published: 96 seeds explored by a complete schedule of 6 coarser steps in the place of 10, the 12 best and the 12 worst played again. Default here: 16, 2 and 2. An episode has no coarser schedule, so exploring costs as much as playing; the share that is played again is the same, a quarter. In a training the setting group, 8 unless given, takes the place of size: half is played again; group=16 gives the quarter.",
      "Where all returns are equal, two are played again; published code plays as many as ever, whichever its sorting names.",
      "A seed fixes the random numbers of an episode, not its words: where the copy draws another token, the episode played again goes another way. strategy/replayedAlike says how many got the return that the copy got.",
      "Returns are the world's (or the judge's); those of --reward are computed after the strategy.",
      "Published code compares the images played again with their prompt's mean, divides by the deviation of the whole batch, clips at 5 and learns by the loss of DiffusionNFT; here credit and loss are those of the training.",
      "What the copy says is paid for in environment steps and tokens, and not stored; info.contrastive says what it got and how many tokens it said.",
    ],
  },
  needs: ["rough"],
  effect: {
    name: "replayed",
    counts: "seeds played again with the whole weights",
    remedy: "Nothing was explored: the budget could not pay a single episode.",
    count: notedEpisodes("contrastive"),
    further: (episodes) => ({ replayedAlike: alike(episodes), exploredTokens: exploredTokens(episodes) }),
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      await scope.each(scope.tasks, (own, task) => rollGroup(own, task, options), {
        walks: options.size + options.best + options.worst,
      });
    },
  }),
});

async function rollGroup(scope: Scope, task: Task, options: ContrastiveOptions): Promise<void> {
  const explored = await withLess(scope.purse, options, () =>
    scope.each(range(options.size), (own, member) => explore(own, task, member)),
  );
  const chosen = contrastiveSubset(
    explored.map((one) => one?.value),
    options,
  );
  const tokens = explored.reduce((total, one) => total + (one?.tokens ?? 0), 0);
  await scope.each(chosen, async (own, member) => {
    const walk = await own.open(task, member);
    await walk?.advance();
    const { value = null } = explored[member] ?? {};
    // The exploring of the whole group, on the first of its episodes: so that a sum over episodes counts it once.
    walk?.note({ contrastive: { explored: value, tokens: member === chosen[0] ? tokens : 0 } });
  });
}

/** Sets aside what playing again takes of a limited budget, so that exploring does not spend it all. */
async function withLess<Result>(
  purse: Scope["purse"],
  { size, best, worst }: ContrastiveOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (purse.isUnlimited) return await work();
  const share = (best + worst) / (size + best + worst);
  const aside = drawnKinds.map((kind) => {
    const left = purse.left(kind);
    return left === Infinity ? 0 : purse.reserve(kind, Math.ceil(left * share));
  });
  try {
    return await work();
  } finally {
    drawnKinds.forEach((kind, at) => purse.settle(kind, aside[at] as number, 0));
  }
}

/** An episode of the copy; nothing of it is kept but what it got. */
async function explore(scope: Scope, task: Task, member: number): Promise<Explored | undefined> {
  const walk = await scope.open(task, member, { rough: true });
  if (walk === undefined) return undefined;
  await walk.advance();
  const { reward } = walk;
  const { trajectory } = await walk.suspend();
  return {
    value: reward.kind === "scored" ? reward.value : undefined,
    tokens: trajectory.usage?.completionTokens ?? 0,
  };
}

interface Note {
  readonly explored: number | null;
  readonly tokens: number;
}

function notesOf(episodes: readonly Looked[]): readonly { readonly note: Note; readonly reward: Looked["reward"] }[] {
  return episodes.flatMap(({ info, reward }) => {
    const note = info?.["contrastive"] as Note | undefined;
    return note === undefined ? [] : [{ note, reward }];
  });
}

/** The share of the episodes played again that got what the copy had got. */
function alike(episodes: readonly Looked[]): number {
  const notes = notesOf(episodes);
  const same = notes.filter(({ note, reward }) => reward.kind === "scored" && reward.value === note.explored);
  return notes.length === 0 ? 0 : same.length / notes.length;
}

function exploredTokens(episodes: readonly Looked[]): number {
  return notesOf(episodes).reduce((total, { note }) => total + note.tokens, 0);
}
