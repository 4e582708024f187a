/**
 * What a similarity threshold means in whole characters. All bounds follow from one number: the least M for which
 * 2 M / T reaches the threshold, found with the same floating-point comparison that the definition uses.
 */
import type { EncodedTexts } from "./encoded-texts.ts";
import type { VisitRange } from "./piece-index.ts";

export interface SimilarityBounds {
  length(text: number): number;
  /** Characters that must match. */
  wanted(text: number, other: number): number;
  /** Insertions and deletions that are left when that many match; negative when the lengths alone rule it out. */
  indels(text: number, other: number): number;
  /** The most insertions and deletions between this text and any text similar to it. */
  mostIndels(text: number): number;
  /** Whether a shared piece may stand `moved` characters further right in `text` than in `other`. */
  canMove(text: number, other: number, moved: number): boolean;
  rangeFor(text: number, budget: number): VisitRange;
  /** Pieces that cutting every text takes, one more than its indels each. */
  readonly pieces: number;
  /** No piece is moved further than this between similar texts. */
  readonly furthest: number;
}

export function createSimilarityBounds({ starts }: EncodedTexts, threshold: number): SimilarityBounds {
  const lengths = new Int32Array(starts.length - 1);
  for (let text = 0; text < lengths.length; text += 1) {
    lengths[text] = (starts[text + 1] as number) - (starts[text] as number);
  }
  const length = (text: number): number => lengths[text] as number;
  const longestText = lengths.reduce((most, one) => Math.max(most, one), 0);
  const least = new Int32Array(2 * longestText + 1);
  for (let total = 1; total < least.length; total += 1) least[total] = leastMatched(total, threshold);
  const leastOf = (total: number): number => least[total] as number;
  const most = new Map<number, number>();
  const mostOf = (own: number): number => {
    let known = most.get(own);
    if (known === undefined) {
      known = 0;
      const [shortest, longest] = partnerLengths(own, threshold);
      for (let other = shortest; other <= Math.min(longest, longestText) && known < own; other += 1) {
        const wanted = leastOf(own + other);
        if (wanted <= Math.min(own, other)) known = Math.max(known, own + other - 2 * wanted);
      }
      most.set(own, known);
    }
    return known;
  };
  let pieces = 0;
  let furthest = 0;
  for (const own of lengths) {
    pieces += mostOf(own) + 1;
    furthest = Math.max(furthest, mostOf(own));
  }

  return {
    length,
    pieces,
    furthest,
    wanted: (text, other) => leastOf(length(text) + length(other)),
    indels: (text, other) => {
      const [own, its] = [length(text), length(other)];
      const wanted = leastOf(own + its);
      return wanted > own || wanted > its ? -1 : own + its - 2 * wanted;
    },
    mostIndels: (text) => mostOf(length(text)),
    canMove: (text, other, moved) => {
      const [own, its] = [length(text), length(other)];
      const wanted = leastOf(own + its);
      // Moved right by what `text` has before it and `other` has not, which is at most what stays unmatched.
      return moved <= own - wanted && -moved <= its - wanted;
    },
    rangeFor: (text, budget) => {
      const [shortest, longest] = partnerLengths(length(text), threshold);
      return { shortest, longest, budget };
    },
  };
}

/** The least whole M with 2 M / T >= threshold. */
function leastMatched(total: number, threshold: number): number {
  let matched = Math.ceil((threshold * total) / 2);
  while (matched > 0 && (2 * (matched - 1)) / total >= threshold) matched -= 1;
  while ((2 * matched) / total < threshold) matched += 1;
  return matched;
}

/** A text of n characters matches at most n of the other, so the other has at most n (2 - threshold) / threshold. */
function partnerLengths(own: number, threshold: number): [number, number] {
  const factor = (2 - threshold) / threshold;
  return [Math.max(0, Math.floor(own / factor) - 1), Math.ceil(own * factor) + 1];
}
