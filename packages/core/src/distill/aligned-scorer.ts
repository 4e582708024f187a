/**
 * A scorer with another tokenizer as one with ours. The row's text is cut anew by the other, scored there, and what it
 * says of the smallest common spans is shared out among our tokens: in proportion to the length of their texts, or to the
 * surprise of the policy itself (then a span that both read alike gives the policy's own shares).
 *
 * Our special tokens keep their meaning only where the other has special tokens of the same text; elsewhere they are text.
 * What a world or a model wrote is never read as a special token.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { RowStatistics, ScoreOptions, Scorer, ScoreRow } from "limbeck-policy/policy/policy";
import { type Tokenizer, createTextStream } from "limbeck-policy/policy/local/tokenizer";

/** A text cut and scored by another model: pieces that follow each other. */
export interface ScoredText {
  readonly texts: readonly string[];
  readonly logprobs: ArrayLike<number>;
}

/** Parts of a text; special tokens stand apart. */
export interface TextPart {
  readonly text: string;
  readonly special: boolean;
}

export interface AlignedOptions {
  /** Ours. */
  readonly tokenizer: Pick<Tokenizer, "decode" | "specials">;
  /** Scores whole texts; each row needs them from the token at `from` on. */
  readonly score: (
    rows: readonly { readonly parts: readonly TextPart[]; readonly from: number }[],
    options: ScoreOptions,
  ) => Promise<ScoredText[]>;
  /** Default: "length". */
  readonly share?: "length" | "surprise";
  /** The policy itself, for shares by surprise. */
  readonly policy?: Scorer;
}

export function alignedScorer({ tokenizer, score, share = "length", policy }: AlignedOptions): Scorer {
  const special = new Set(tokenizer.specials.values());
  return {
    statistics: ["logprob"],
    score: async (rows, options = {}) => {
      refuseOthers(options);
      const read = rows.map(({ ids, mask }) => readRow(tokenizer, special, ids, mask));
      const said = await score(read, options);
      const own = share === "surprise" && policy !== undefined ? await surprises(policy, rows, options) : undefined;
      return rows.map((row, at) => {
        const { lengths, text } = read[at] as ReadRow;
        const { texts, logprobs } = said[at] as ScoredText;
        if (texts.join("") !== text) throw mismatch(text, texts.join(""));
        const spans = commonSpans(
          lengths,
          texts.map(({ length }) => length),
        );
        const shared = shareOut(spans, logprobs, own?.[at] ?? lengths);
        return { logprob: asked(row, shared) };
      });
    },
  };
}

interface ReadRow {
  readonly parts: readonly TextPart[];
  /** Length of each token's text. */
  readonly lengths: readonly number[];
  readonly text: string;
  /** Where in the text the first asked token begins. */
  readonly from: number;
}

function readRow(
  tokenizer: AlignedOptions["tokenizer"],
  special: ReadonlySet<number>,
  ids: Int32Array,
  mask: Uint8Array | undefined,
): ReadRow {
  const parts: { text: string; special: boolean }[] = [];
  const lengths: number[] = [];
  let stream = createTextStream(tokenizer as Tokenizer);
  const say = (text: string, isSpecial: boolean): void => {
    const last = parts.at(-1);
    if (last !== undefined && !last.special && !isSpecial) last.text += text;
    else if (text !== "") parts.push({ text, special: isSpecial });
  };
  for (const id of ids) {
    if (special.has(id)) {
      const rest = stream.end();
      if (rest !== "") lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) + rest.length;
      say(rest, false);
      stream = createTextStream(tokenizer as Tokenizer);
      const text = tokenizer.decode([id]);
      say(text, true);
      lengths.push(text.length);
      continue;
    }
    const text = stream.push(id);
    say(text, false);
    lengths.push(text.length);
  }
  const rest = stream.end();
  if (rest !== "" && lengths.length > 0) lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) + rest.length;
  say(rest, false);
  const first = mask === undefined ? 0 : Math.max(0, mask.indexOf(1));
  const from = lengths.slice(0, first).reduce((total, length) => total + length, 0);
  return { parts, lengths, text: parts.map((part) => part.text).join(""), from };
}

/** Minus the policy's own log-probabilities. */
async function surprises(policy: Scorer, rows: readonly ScoreRow[], { signal }: ScoreOptions): Promise<Float64Array[]> {
  const scored = await policy.score(
    rows.map(({ ids }) => ({ ids })),
    signal === undefined ? {} : { signal },
  );
  return scored.map(({ logprob }) => Float64Array.from(logprob ?? [], (value) => -value));
}

function asked({ ids, mask }: ScoreRow, values: Float64Array): Float32Array {
  const logprob = new Float32Array(ids.length);
  for (let token = 1; token < ids.length; token += 1) {
    if (mask === undefined || mask[token] === 1) logprob[token] = values[token] as number;
  }
  return logprob;
}

function refuseOthers({ statistics = ["logprob"] }: ScoreOptions): void {
  const others = statistics.filter((name) => name !== "logprob");
  if (others.length === 0) return;
  throw new EngineError(
    "missing-statistic",
    `A teacher with another tokenizer says how likely the sampled words are and nothing of others ("${others.join('", "')}"). Choose a form of the sampled token.`,
  );
}

function mismatch(own: string, other: string): EngineError {
  let at = 0;
  while (at < own.length && own[at] === other[at]) at += 1;
  const near = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 10), at + 20));
  return new EngineError(
    "score-mismatch",
    `The teacher's tokens spell another text than the policy's: ${near(other)} in the place of ${near(own)}. Its tokenizer changes texts, so it cannot be aligned.`,
  );
}

/** What the pieces of a text are worth by a local model with its own tokenizer. */
export function textsByModel(teacher: Scorer, tokenizer: Tokenizer): AlignedOptions["score"] {
  return async (rows, options) => {
    const cut = rows.map(({ parts }) =>
      parts.flatMap(({ text, special }) => {
        const ids = tokenizer.encode(text, { specials: special ? "token" : "text" });
        const stream = createTextStream(tokenizer);
        const pieces = [...ids].map((id) => ({ id, text: stream.push(id) }));
        const last = pieces.at(-1);
        if (last !== undefined) last.text += stream.end();
        return pieces;
      }),
    );
    const scored: RowStatistics[] = await teacher.score(
      cut.map((pieces) => ({ ids: Int32Array.from(pieces, ({ id }) => id) })),
      options,
    );
    return cut.map((pieces, at) => ({
      texts: pieces.map(({ text }) => text),
      logprobs: scored[at]?.logprob ?? [],
    }));
  };
}

// Two tokenisations of one text, brought together: the smallest spans at whose ends both have a cut. What is known of such
// a span by the one is shared out among the tokens of the other.

/** Tokens `[from, to)` of the one and `[otherFrom, otherTo)` of the other spell the same piece of text. */
interface CommonSpan {
  readonly from: number;
  readonly to: number;
  readonly otherFrom: number;
  readonly otherTo: number;
}

/** By the lengths of the tokens' texts. A token of length 0 (half a letter) belongs to the span that its letter is in. */
export function commonSpans(lengths: ArrayLike<number>, others: ArrayLike<number>): CommonSpan[] {
  const spans: CommonSpan[] = [];
  let [from, otherFrom, at, other, end, otherEnd] = [0, 0, 0, 0, 0, 0];
  while (at < lengths.length || other < others.length) {
    if (at < lengths.length && (end <= otherEnd || other >= others.length)) {
      end += lengths[at] as number;
      at += 1;
    } else {
      otherEnd += others[other] as number;
      other += 1;
    }
    if (end !== otherEnd || end === 0) continue;
    // Tokens without text of their own wait for the letter they begin, not for the one they follow.
    if ((at > from && other > otherFrom) || (at === lengths.length && other === others.length)) {
      spans.push({ from, to: at, otherFrom, otherTo: other });
      [from, otherFrom] = [at, other];
    }
  }
  return spans;
}

/**
 * Log-probabilities of the other tokens, as log-probabilities of ours: each span's sum, shared out in proportion to
 * `shares` (the lengths of our tokens, or how surprising the policy itself found each). Sums over spans stay the same.
 */
export function shareOut(
  spans: readonly CommonSpan[],
  logprobs: ArrayLike<number>,
  shares: ArrayLike<number>,
): Float64Array {
  const last = spans.at(-1)?.to ?? 0;
  const out = new Float64Array(last);
  for (const { from, to, otherFrom, otherTo } of spans) {
    let [sum, whole] = [0, 0];
    for (let at = otherFrom; at < otherTo; at += 1) sum += logprobs[at] as number;
    for (let at = from; at < to; at += 1) whole += shares[at] as number;
    for (let at = from; at < to; at += 1) {
      out[at] = whole > 0 ? (sum * (shares[at] as number)) / whole : sum / (to - from);
    }
  }
  return out;
}
