/**
 * Drafting at the same time as checking (ParallelVLM): while the model checks a chain of guesses, the draft model goes on as if all of
 * them were right, and guesses the token after them too. Where that comes true the next chain lies ready without a wait;
 * where it does not, it is thrown away and a chain is drafted as usual.
 */
import { restoreRng } from "../../../base/rng.ts";
import type { SampleRequest, Sequence } from "../sequence.ts";
import type { Guesser } from "./guesser.ts";
import { FAINT } from "./memory-trees.ts";
import { NO_DRAFT, type DraftTree } from "./tree.ts";

export interface Parallel {
  /** Chains for all; those that lie ready are taken, the others are waited for. */
  readonly draft: Guesser["draft"];
  /** Begins with what comes after the chains that are now checked. It is not waited for. */
  goOn(...drafted: Parameters<Guesser["draft"]>): void;
  /** Until nothing is drafted any more. */
  rest(): Promise<void>;
  readonly counts: Overlap;
}

export interface Overlap {
  /** Chains that lay ready when the model had checked the ones before. */
  readonly ready: number;
  /** Chains that the model had to wait for. */
  readonly waited: number;
}

/** What was drafted ahead: which tokens must have been drawn for it to count, and what comes then. */
interface Ahead {
  readonly count: number;
  readonly drawn: readonly number[];
  readonly chain: DraftTree;
}

export function createParallel(guesser: Guesser): Parallel {
  const counts = { ready: 0, waited: 0 };
  let known = new Map<Sequence, Ahead>();
  let working: Promise<Map<Sequence, Ahead>> | undefined;
  return {
    counts,
    draft: async (sequences, most, expand) => {
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
    goOn: (sequences, most, expand) => {
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
    rest: async () => {
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
