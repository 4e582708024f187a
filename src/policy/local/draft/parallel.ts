/**
 * Drafting at the same time as checking (ParallelVLM): while the model checks a chain of guesses, the draft model goes on as if all of
 * them were right, and guesses the token after them too. Where that comes true the next chain lies ready and nobody has waited for it;
 * where it does not, it is thrown away and a chain is drafted as usual.
 */
import { restoreRng } from "../../../base/rng.ts";
import type { Speaker, Turn } from "../speaker.ts";
import { FAINT } from "./drafter.ts";
import { NO_DRAFT, type DraftTree } from "./tree.ts";
import type { Expand, Guesser } from "./ways.ts";

export interface Parallel {
  /** Chains for everyone; those that lie ready are taken, the others are waited for. */
  draft(speakers: readonly Speaker[], most: (speaker: Speaker) => number, expand: Expand): Promise<DraftTree[]>;
  /** Begins with what comes after the chains that are now checked. It is not waited for. */
  goOn(speakers: readonly Speaker[], most: (speaker: Speaker) => number, expand: Expand): void;
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

/** What was drafted ahead: what must have been said for it to count, and what comes then. */
interface Ahead {
  readonly count: number;
  readonly said: readonly number[];
  readonly chain: DraftTree;
}

export function createParallel(guesser: Guesser): Parallel {
  const counts = { ready: 0, waited: 0 };
  let known = new Map<Speaker, Ahead>();
  let working: Promise<Map<Speaker, Ahead>> | undefined;

  const finished = async (): Promise<void> => {
    if (working === undefined) return;
    const last = working;
    working = undefined;
    known = await last;
  };

  const ready = (speaker: Speaker): DraftTree | undefined => {
    const ahead = known.get(speaker);
    if (ahead === undefined || speaker.turn === undefined) return undefined;
    const { tokens, count } = speaker;
    if (count !== ahead.count + ahead.said.length) return undefined;
    if (!ahead.said.every((token, at) => tokens[ahead.count + at] === token)) return undefined;
    return ahead.chain.tokens.length === 0 ? undefined : ahead.chain;
  };

  return {
    counts,
    draft: async (speakers, most, expand) => {
      await finished();
      const found = new Map(speakers.map((speaker) => [speaker, ready(speaker)] as const));
      known = new Map();
      const left = speakers.filter((speaker) => found.get(speaker) === undefined);
      const drafted = left.length === 0 ? [] : await guesser.draft(left, most, expand);
      const fresh = new Map(left.map((speaker, at) => [speaker, drafted[at] as DraftTree] as const));
      counts.ready += speakers.length - left.length;
      counts.waited += drafted.filter(({ tokens }) => tokens.length > 0).length;
      return speakers.map((speaker) => found.get(speaker) ?? fresh.get(speaker) ?? NO_DRAFT);
    },
    goOn: (speakers, most, expand) => {
      const pairs = speakers.flatMap((speaker) => {
        const later = laterOf(speaker);
        return later === undefined ? [] : [{ speaker, later }];
      });
      if (pairs.length === 0) return;
      const rows = pairs.map(({ later }) => later);
      // One more than is checked: the first is what the model says after the last guess.
      const work = guesser
        .draft(rows, (row) => most(row) + 1, expand)
        .then(
          (trees) =>
            new Map(
              pairs.map(({ speaker, later }, at) => {
                const tree = trees[at] as DraftTree;
                const said = [...speaker.draft.tokens, ...tree.tokens.slice(0, 1)];
                return [speaker, { count: later.count - speaker.draft.tokens.length, said, chain: afterFirst(tree) }];
              }),
            ),
        );
      // Whoever asks for the next chains meets its failure.
      work.catch(() => undefined);
      working = work;
    },
    rest: async () => {
      // Whoever asked for the chains met their failure.
      await working?.catch(() => undefined);
    },
  };
}

/** The conversation as it will be if all guesses of its chain come true. Undefined where that is unlikely, or ends the answer. */
function laterOf(speaker: Speaker): Speaker | undefined {
  const { turn, draft, count, rng } = speaker;
  const ahead = draft.tokens.length;
  if (turn === undefined || turn.response.left() <= ahead + 1) return undefined;
  if ((draft.reach[ahead - 1] ?? 1) < FAINT || draft.parents.some((parent, node) => parent !== node - 1))
    return undefined;
  let place = turn.response.place();
  for (const token of draft.tokens) place = place?.next.get(token);
  if (place?.ids.length === 0) return undefined;
  const tokens = new Int32Array(count + ahead);
  tokens.set(speaker.tokens.subarray(0, count));
  tokens.set(draft.tokens, count);
  const drawn = restoreRng(rng.save());
  for (let at = 0; at < ahead; at += 1) drawn.float();
  const { response } = turn;
  const later: Turn = {
    ...turn,
    response: { ...response, left: () => response.left() - ahead, place: () => place },
  };
  return { ...speaker, tokens, count: count + ahead, rng: drawn, turn: later };
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
