/** Speculative decoding of the sequences of a sampler: who guesses, how much is guessed at a time, and what came of it. */
import type { Lane } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Sequence } from "../sequence.ts";
import { expansionOf, type Delay } from "./delayed.ts";
import { gooseTree } from "./goose.ts";
import { grafted } from "./graft.ts";
import { GUESSER_SOURCES, type Expand, type Guesser } from "./guesser.ts";
import { createHeadsDrafter, type DraftHeads } from "./heads-drafter.ts";
import { refuseDrafting, type DraftChoice } from "./kinds.ts";
import { chainOf, type Drafted } from "./memory-trees.ts";
import { createModelDrafter, type DraftModel } from "./model-drafter.ts";
import { Pace } from "./pace.ts";
import { createParallel, type Overlap, type Parallel } from "./parallel.ts";
import { NO_DRAFT, pruned, type DraftTree } from "./tree.ts";
import { createWordMemory } from "./word-memory.ts";

export interface DraftingOptions extends Omit<DraftChoice, "draftModel"> {
  readonly drafter?: DraftModel | undefined;
  /** Needed for "heads", used with "auto" where they are there. */
  readonly draftHeads?: DraftHeads | undefined;
  /** Where the trees of a draft model branch. */
  readonly draftDelay?: Delay | undefined;
}

type Options = DraftingOptions & { readonly weights: Readonly<Record<string, Float32Array>> };

/** What a step of a lane has drawn. */
export interface StepCounts {
  /** Tokens of all rows together. */
  tokens: number;
  /** Of the row that drew least, among those that go on; Infinity where none does. */
  least: number;
}

/** Undefined where nothing is guessed. */
export function createDrafting(options: Options, config: ModelConfig, maxRows: number): Drafting | undefined {
  refuseDrafting(options);
  return (options.draft ?? "off") === "off" ? undefined : new Drafting(options, config, maxRows);
}

export class Drafting {
  /** Most tokens of a row in one pass. */
  readonly widest: number;
  /** Fewest tokens of a row in the next pass, if anything is guessed. */
  narrowest = 2;
  /** Whether the hidden states behind predictions are wanted. */
  readonly states: boolean;
  /** Counts where guesses go on while the model checks. */
  readonly overlap: Overlap | undefined;
  readonly #memory = createWordMemory();
  readonly #treeOf: typeof chainOf;
  readonly #grafts: boolean;
  readonly #expand: Expand;
  readonly #guesser: Guesser | undefined;
  readonly #parallel: Parallel | undefined;
  /** Measures whether guesses pay, with "auto": the n-gram memory is the first guesser, and heads with its help the second. */
  readonly #pace: Pace | undefined;
  readonly #mostFor: (sequence: Sequence) => number;
  /** Which guesser the pace chose for the next pass, and how long it took. */
  #chosen: number | undefined;
  #guessing = 0;

  constructor(options: Options, config: ModelConfig, maxRows: number) {
    const { draft, draftTree = "chain", draftNodes: nodes = draft === "auto" ? 15 : 7 } = options;
    // Within a window's length every new token sees all the others.
    const widest = Math.min(2 ** Math.ceil(Math.log2(nodes + 1)), config.window?.size ?? Infinity);
    this.widest = widest;
    const guesser = guesserOf(options, config, maxRows);
    this.#guesser = guesser;
    this.#pace = draft === "auto" ? new Pace(guesser === undefined ? 1 : 2) : undefined;
    this.#parallel = draftTree === "parallel" && guesser !== undefined ? createParallel(guesser) : undefined;
    this.#expand = expansionOf(draftTree, options.draftDelay);
    this.#treeOf = draftTree === "goose" ? gooseTree : chainOf;
    this.#grafts = draftTree === "graft" || this.#pace !== undefined;
    this.#mostFor = ({ count }) => Math.min(nodes, widest - 1, config.contextLength - count - 1);
    this.states = guesser !== undefined && draft !== "model";
    this.overlap = this.#parallel?.counts;
  }

  /** Guesses for all rows of the lane, before its next step. */
  async guess({ rows, batch }: Lane<Sequence>): Promise<void> {
    const begun = performance.now();
    this.#chosen = this.#pace?.choose(batch);
    if (this.#pace === undefined || this.#chosen !== undefined) {
      for (const sequence of rows) {
        this.#memory.learn(sequence.tokens, sequence.learned, sequence.count);
        sequence.learned = sequence.count;
      }
      const drafts = await this.#draft(rows);
      const hopes = this.#pace === undefined ? [] : hopesOf(drafts, this.widest);
      const hoped = (wide: number): number => hopes[Math.min(wide, this.widest)] as number;
      const width = this.#pace?.width(batch, hoped) ?? this.widest;
      this.narrowest = this.#pace === undefined ? 2 : Math.min(this.widest, Math.max(2, width));
      rows.forEach((sequence, at) => {
        sequence.draft = pruned(drafts[at] as DraftTree, width - 1);
        sequence.unchecked = width === 1 ? (drafts[at] as DraftTree) : NO_DRAFT;
      });
      this.#parallel?.goOn(rows, this.#mostFor, this.#expand);
    }
    this.#guessing = performance.now() - begun;
  }

  async #draft(rows: readonly Sequence[]): Promise<DraftTree[]> {
    const guesser = this.#chosen === 0 ? undefined : this.#guesser;
    const trees = await (this.#parallel ?? guesser)?.draft(rows, this.#mostFor, this.#expand);
    if (trees !== undefined && !this.#grafts) return trees;
    return rows.map((sequence, at) => {
      const { tokens, count, request } = sequence;
      if (request === undefined) return trees?.[at] ?? NO_DRAFT;
      const drafted: Drafted = { tokens, count, response: request.response, most: this.#mostFor(sequence) };
      return trees === undefined
        ? this.#treeOf(this.#memory, drafted)
        : grafted(this.#memory, trees[at] as DraftTree, drafted);
    });
  }

  /** A node of the draft was reached and this child of it was drawn, or -1: none of them. */
  judge({ parents, sources }: DraftTree, node: number, child: number): void {
    parents.forEach((parent, at) => {
      if (parent !== node) return;
      const source = sources[at] as number;
      if (source >= GUESSER_SOURCES) this.#guesser?.judge(source, at === child);
      else this.#memory.judge(source, at === child);
    });
  }

  /** A step of a lane is over. */
  took({ width, pass }: Lane<Sequence>, rows: number, { tokens, least }: StepCounts): void {
    if (width > 1) this.#pace?.read(pass);
    else
      this.#pace?.decoded({
        ...pass,
        drafter: this.#chosen,
        drafting: this.#guessing,
        worth: worthOf(tokens / rows, least),
      });
  }

  /** Until nothing is guessed any more. */
  async rest(): Promise<void> {
    await this.#parallel?.rest();
  }
}

/** The drafter with predictions of its own, where there is one. */
function guesserOf(
  { draft, drafter, draftHeads, draftContext, weights }: Options,
  config: ModelConfig,
  maxRows: number,
): Guesser | undefined {
  if (draft === "model") return createModelDrafter(drafter as DraftModel, maxRows, draftContext);
  if ((draft !== "heads" && draft !== "auto") || draftHeads === undefined) return undefined;
  return createHeadsDrafter(config, weights, draftHeads, maxRows);
}

/**
 * Of what a row is ahead of the one that drew least, so much is time saved. Rows of one batch take as many passes as the
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
