/** Speaking with guesses: who guesses, how much is guessed at a time, and what came of it. */
import type { Lane } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Speaker, Turn } from "../speaker.ts";
import { chainExpansion, delayedExpansion, type Delay } from "./delayed.ts";
import { chainOf, type Drafted } from "./drafter.ts";
import { gooseTree } from "./goose.ts";
import { grafted } from "./graft.ts";
import { createHeadsDrafter, type DraftHeads } from "./heads-drafter.ts";
import type { DraftChoice } from "./kinds.ts";
import { createModelDrafter, type DraftModel } from "./model-drafter.ts";
import { createPace } from "./pace.ts";
import { createParallel, type Overlap } from "./parallel.ts";
import { refuseDrafting } from "./refuse-drafting.ts";
import { NO_DRAFT, pruned, type DraftTree } from "./tree.ts";
import { GUESSER_SOURCES, type Guesser } from "./ways.ts";
import { createWordMemory } from "./word-memory.ts";

export interface DraftingOptions extends Omit<DraftChoice, "draftModel"> {
  readonly drafter?: DraftModel | undefined;
  /** Needed for "heads", used with "auto" where they are there. */
  readonly draftHeads?: DraftHeads | undefined;
  /** Where the trees of a draft model branch. */
  readonly draftDelay?: Delay | undefined;
}

export interface Drafting {
  /** Most tokens of a row in one pass. */
  readonly widest: number;
  /** Fewest tokens of a row in the next pass, if anything is guessed. */
  readonly narrowest: () => number;
  /** Whether the hidden states behind predictions are wanted. */
  readonly states: boolean;
  /** Guesses for everyone in the lane, before its next step. */
  guess(lane: Lane<Speaker>): Promise<void>;
  /** A node of the draft was reached and this child of it was said, or -1: none of them. */
  judge(draft: DraftTree, node: number, child: number): void;
  /** A step of a lane is over. */
  took(lane: Lane<Speaker>, rows: number, said: Said): void;
  /** Until nobody guesses any more. */
  rest(): Promise<void>;
  /** Where guesses go on while the model checks. */
  readonly overlap: Overlap | undefined;
}

/** What a step has said. */
export interface Said {
  /** Of all rows together. */
  readonly tokens: number;
  /** Of the row that said least, among those that go on; Infinity where none does. */
  readonly least: number;
}

/** Undefined where nothing is guessed. */
export function createDrafting(
  options: DraftingOptions & { readonly weights: Readonly<Record<string, Float32Array>> },
  config: ModelConfig,
  maxRows: number,
): Drafting | undefined {
  const { draft = "off", draftTree = "chain" } = options;
  refuseDrafting(options);
  if (draft === "off") return undefined;
  const nodes = options.draftNodes ?? (draft === "auto" ? 15 : 7);
  // Within a window's length every new token sees all the others.
  const widest = Math.min(2 ** Math.ceil(Math.log2(nodes + 1)), config.window?.size ?? Infinity);
  const memory = createWordMemory();
  const guesser = guesserOf(options, config, maxRows);
  // With "auto" the memory of words is the first who may guess, and heads with its help the second.
  const pace = draft === "auto" ? createPace(guesser === undefined ? 1 : 2) : undefined;
  const parallel = draftTree === "parallel" && guesser !== undefined ? createParallel(guesser) : undefined;
  const expand =
    draftTree === "chain" || draftTree === "parallel" ? chainExpansion : delayedExpansion(options.draftDelay);

  const mostFor = ({ count }: Speaker): number => Math.min(nodes, widest - 1, config.contextLength - count - 1);
  const known = (speaker: Speaker, { response }: Turn): Drafted => {
    const { tokens, count } = speaker;
    return { tokens, count, response, most: mostFor(speaker) };
  };
  const remembered = (speaker: Speaker): DraftTree => {
    if (speaker.turn === undefined) return NO_DRAFT;
    return (draftTree === "goose" ? gooseTree : chainOf)(memory, known(speaker, speaker.turn));
  };
  const proposed = async (drafter: Guesser, rows: readonly Speaker[]): Promise<DraftTree[]> => {
    const trees = await (parallel ?? drafter).draft(rows, mostFor, expand);
    if (draftTree !== "graft" && pace === undefined) return trees;
    return rows.map((row, at) => {
      const tree = trees[at] as DraftTree;
      return row.turn === undefined ? tree : grafted(memory, tree, known(row, row.turn));
    });
  };
  let [who, guessing]: [number | undefined, number] = [undefined, 0];
  let narrowest = 2;
  return {
    widest,
    narrowest: () => narrowest,
    states: guesser !== undefined && draft !== "model",
    guess: async ({ rows, company }) => {
      const begun = performance.now();
      who = pace?.who(company);
      const nobody = pace !== undefined && who === undefined;
      if (!nobody) {
        for (const speaker of rows) {
          memory.learn(speaker.tokens, speaker.learned, speaker.count);
          speaker.learned = speaker.count;
        }
        const asked = who === 0 ? undefined : guesser;
        const drafts = asked === undefined ? rows.map(remembered) : await proposed(asked, rows);
        const hopes = pace === undefined ? [] : hopesOf(drafts, widest);
        const width = pace?.width(company, (wide) => hopes[Math.min(wide, widest)] as number) ?? widest;
        narrowest = pace === undefined ? 2 : Math.min(widest, Math.max(2, width));
        rows.forEach((speaker, at) => {
          speaker.draft = pruned(drafts[at] as DraftTree, width - 1);
          speaker.hunch = width === 1 ? (drafts[at] as DraftTree) : NO_DRAFT;
        });
        parallel?.goOn(rows, mostFor, expand);
      }
      guessing = performance.now() - begun;
    },
    judge: ({ parents, sources }, node, child) => {
      parents.forEach((parent, at) => {
        if (parent !== node) return;
        const source = sources[at] as number;
        if (source >= GUESSER_SOURCES) guesser?.judge(source, at === child);
        else memory.judge(source, at === child);
      });
    },
    rest: async () => await parallel?.rest(),
    overlap: parallel?.counts,
    took: ({ width, pass }, rows, { tokens, least }) => {
      if (width > 1) pace?.read(pass);
      else pace?.spoke({ ...pass, who, guessing, said: worthOf(tokens / rows, least) });
    },
  };
}

/** Who guesses by predictions of its own, if anybody does. */
function guesserOf(
  { draft, drafter, draftHeads, draftContext, weights }: Parameters<typeof createDrafting>[0],
  config: ModelConfig,
  maxRows: number,
): Guesser | undefined {
  if (draft === "model") return createModelDrafter(drafter as DraftModel, maxRows, draftContext);
  if ((draft !== "heads" && draft !== "auto") || draftHeads === undefined) return undefined;
  return createHeadsDrafter(config, weights, draftHeads, maxRows);
}

/**
 * Of what a row is ahead of the one that said least, so much is time saved. Rows that speak together take as many passes as the
 * slowest needs; one that is ahead leaves earlier, and passes with fewer rows are only somewhat shorter.
 */
const AHEAD = 0.5;

/** Passes that are saved by this many tokens for each row, `least` for the slowest. */
export function worthOf(mean: number, least: number): number {
  const slowest = Math.min(mean, least);
  return slowest + AHEAD * (mean - slowest);
}

/** Passes of one token that a pass of each width would be worth, by the guesses that are hoped to come true. */
export function hopesOf(drafts: readonly Pick<DraftTree, "reach">[], widest: number): readonly number[] {
  const sums = Array.from({ length: widest + 1 }, () => 0);
  const least = Array.from({ length: widest + 1 }, () => Number.POSITIVE_INFINITY);
  for (const { reach } of drafts) {
    const sorted = reach.toSorted((left, right) => right - left);
    let sum = 1;
    for (let width = 1; width <= widest; width += 1) {
      sums[width] = (sums[width] as number) + sum;
      least[width] = Math.min(least[width] as number, sum);
      sum += sorted[width - 1] ?? 0;
    }
  }
  return sums.map((sum, width) => worthOf(sum / drafts.length, least[width] as number));
}
