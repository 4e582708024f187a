/** Speculative decoding of the sequences of a sampler: which drafter, how many tokens at a time, and the acceptance. */
import type { Lane } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import type { SampleRequest, Sequence } from "../sequence.ts";
import { chainOf, expansionOf, gooseTree, graftTree, type Delay, type Drafted } from "./shapes.ts";
import {
  createHeadsDrafter,
  createModelDrafter,
  GUESSER_SOURCES,
  type DraftHeads,
  type DraftModel,
  type Expand,
  type Guesser,
} from "./drafters.ts";
import { refuseDrafting, type DraftChoice } from "./kinds.ts";
import { DraftPolicy } from "./pace.ts";
import { FAINT, NO_DRAFT, pruneTree, type DraftTree } from "./tree.ts";
import { createWordMemory } from "./word-memory.ts";
import { restoreRng } from "limbeck-base/base/rng";

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
  readonly overlap: Parallel["counts"] | undefined;
  /** Guesses that were said: behind another of their place, and of the memory of n-grams. */
  readonly guessed = { aside: 0, recalled: 0 };
  readonly #memory = createWordMemory();
  readonly #treeOf: typeof chainOf;
  readonly #grafts: boolean;
  readonly #expand: Expand;
  readonly #guesser: Guesser | undefined;
  readonly #parallel: Parallel | undefined;
  /** Measures whether guesses pay, with "auto": the n-gram memory is the first guesser, and heads with its help the second. */
  readonly #pace: DraftPolicy | undefined;
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
    this.#pace = draft === "auto" ? new DraftPolicy(guesser === undefined ? 1 : 2) : undefined;
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
        sequence.draft = pruneTree(drafts[at] as DraftTree, width - 1);
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
        : graftTree(this.#memory, trees[at] as DraftTree, drafted);
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

  /** This node of a draft was said. */
  said({ parents, sources }: DraftTree, node: number): void {
    if (parents.indexOf(parents[node] as number) !== node) this.guessed.aside += 1;
    const source = sources[node] as number;
    if (source >= 0 && source < GUESSER_SOURCES) this.guessed.recalled += 1;
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

// Drafting at the same time as checking (ParallelVLM): while the model checks a chain of guesses, the draft model goes on as if all of
// them were right, and guesses the token after them too. Where that comes true the next chain lies ready without a wait;
// where it does not, it is thrown away and a chain is drafted as usual.

/** What was drafted ahead: which tokens must have been drawn for it to count, and what comes then. */
interface Ahead {
  readonly count: number;
  readonly drawn: readonly number[];
  readonly chain: DraftTree;
}

type Parallel = ReturnType<typeof createParallel>;

function createParallel(guesser: Guesser) {
  /** Chains that lay ready when the model had checked the ones before, and those that the model had to wait for. */
  const counts = { ready: 0, waited: 0 };
  let known = new Map<Sequence, Ahead>();
  let working: Promise<Map<Sequence, Ahead>> | undefined;
  return {
    counts,
    /** Chains for all; those that lie ready are taken, the others are waited for. */
    draft: async (...[sequences, most, expand]: Parameters<Guesser["draft"]>): Promise<DraftTree[]> => {
      if (working !== undefined) {
        const last = working;
        working = undefined;
        known = await last;
      }
      const found = new Map(
        sequences.map((sequence) => [sequence, readyChain(sequence, known.get(sequence))] as const),
      );
      known = new Map();
      const left = sequences.filter((sequence) => found.get(sequence) === undefined);
      const drafted = left.length === 0 ? [] : await guesser.draft(left, most, expand);
      left.forEach((sequence, at) => found.set(sequence, drafted[at]));
      counts.ready += sequences.length - left.length;
      counts.waited += drafted.filter(({ tokens }) => tokens.length > 0).length;
      return sequences.map((sequence) => found.get(sequence) ?? NO_DRAFT);
    },
    /** Begins with what comes after the chains that are now checked. It is not waited for. */
    goOn: (...[sequences, most, expand]: Parameters<Guesser["draft"]>): void => {
      const pairs = sequences.flatMap((sequence) => {
        const later = laterOf(sequence);
        const { count, draft } = sequence;
        return later === undefined ? [] : [{ sequence, later, count, checked: draft.tokens }];
      });
      if (pairs.length === 0) return;
      const rows = pairs.map(({ later }) => later);
      // One more than is checked: the first is what the model draws after the last guess.
      working = guesser
        .draft(rows, (row) => most(row) + 1, expand)
        .then((trees) => {
          const ahead = pairs.map(({ sequence, count, checked }, at): [Sequence, Ahead] => {
            const tree = trees[at] as DraftTree;
            return [sequence, { count, drawn: [...checked, ...tree.tokens.slice(0, 1)], chain: afterFirst(tree) }];
          });
          return new Map(ahead);
        });
      // The next call of `draft` meets its failure.
      working.catch(() => undefined);
    },
    /** Until nothing is drafted any more. */
    rest: async (): Promise<void> => {
      // Its failure belongs to the call that asked for the chains.
      await working?.catch(() => undefined);
    },
  };
}

/** The chain that was drafted ahead, where what was drawn since is what it goes on from. */
function readyChain({ request, tokens, count }: Sequence, ahead: Ahead | undefined): DraftTree | undefined {
  if (ahead === undefined || request === undefined || count !== ahead.count + ahead.drawn.length) return undefined;
  if (!ahead.drawn.every((token, at) => tokens[ahead.count + at] === token)) return undefined;
  return ahead.chain.tokens.length === 0 ? undefined : ahead.chain;
}

/** The conversation as it will be if all guesses of its chain come true. Undefined where that is unlikely, or ends the response. */
function laterOf(sequence: Sequence): Sequence | undefined {
  const { request, draft, count, rng } = sequence;
  const ahead = draft.tokens.length;
  if (request === undefined || request.response.left() <= ahead + 1) return undefined;
  if ((draft.reach[ahead - 1] ?? 1) < FAINT || draft.parents.some((parent, node) => parent !== node - 1))
    return undefined;
  let place = request.response.place();
  for (const token of draft.tokens) place = place?.next.get(token);
  if (place?.ids.length === 0) return undefined;
  const tokens = new Int32Array(count + ahead);
  tokens.set(sequence.tokens.subarray(0, count));
  tokens.set(draft.tokens, count);
  const drawn = restoreRng(rng.save());
  for (let at = 0; at < ahead; at += 1) drawn.float();
  const { response } = request;
  const later: SampleRequest = {
    ...request,
    response: { ...response, left: () => response.left() - ahead, place: () => place },
  };
  return { ...sequence, tokens, count: count + ahead, rng: drawn, request: later };
}

/** The chain without its first node. */
function afterFirst({ tokens, reach, sources }: DraftTree): DraftTree {
  const whole = reach[0] ?? 1;
  return {
    tokens: tokens.slice(1),
    parents: tokens.slice(1).map((_, node) => node - 1),
    reach: reach.slice(1).map((value) => value / whole),
    sources: sources.slice(1),
  };
}
