/** A note to write: its lines, what the reader would like each to be, and the texts for it. */
import { z } from "zod";
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import { lookUp } from "limbeck-base/base/registry";
import { words, worldTable } from "limbeck-core/env/world-data";
import { writeWording } from "limbeck-core/env/wording";

export const LENGTHS = ["short", "middle", "long"] as const;
export type Length = (typeof LENGTHS)[number];

export const levels = {
  small: ["opening", "news", "close"],
  medium: ["opening", "news", "reason", "close"],
  large: ["opening", "news", "reason", "request", "close"],
} as const satisfies Record<string, readonly LineName[]>;

export type NoteLevelId = keyof typeof levels;

const lineNames = ["opening", "news", "reason", "request", "close"] as const;
export type LineName = (typeof lineNames)[number];

const wordings = z.array(z.string()).min(1);

export const draftWords = worldTable(
  "draft.json",
  z.strictObject({
    readers: z.record(z.string(), z.enum(LENGTHS)),
    names: words,
    trades: words,
    events: words,
    days: words,
    places: words,
    causes: words,
    lines: z.record(z.enum(lineNames), z.tuple([z.string(), z.string(), z.string()])),
    tooLong: wordings,
    tooShort: wordings,
    content: wordings,
  }),
);

export interface Note {
  readonly lines: readonly LineName[];
  /** How long the reader would like each line to be; shown by the score and the remarks on a draft, never stated. */
  readonly taste: readonly Length[];
  readonly reader: string;
  /** What fills the places of the lines. */
  readonly facts: Readonly<Record<string, string>>;
}

/** What is known of a reader decides so many of the lines; the others are as they are. */
const TRUE_TO_KIND = 0.4;

export function drawNote(level: string, rng: Rng): Note {
  const lines = lookUp<readonly LineName[]>(levels, level, "draft level");
  const { readers, names, trades, events, days, places, causes } = draftWords();
  const one = (list: readonly string[]): string => pick(list, rng) as string;
  const [manner, usual] = pick(Object.entries(readers), rng) as [string, Length];
  const name = one(names);
  return {
    lines,
    taste: lines.map(() => (rng.float() < TRUE_TO_KIND ? usual : (pick(LENGTHS, rng) as Length))),
    reader: `${name}, a ${manner} ${one(trades)}`,
    facts: {
      name,
      sender: one(names.filter((other) => other !== name)),
      event: one(events),
      day: one(days),
      place: one(places),
      cause: one(causes),
    },
  };
}

/** The reader and the matter: no note of one split is about what another split is about. */
export function noteKey({ reader, facts }: Note): string {
  return [reader, ...Object.values(facts)].join("|");
}

/** Points of each line: two where it is as the reader likes it, one where it is a step from that. */
export function pointsOf({ taste }: Note, lengths: readonly Length[]): number {
  return lengths.reduce((sum, length, at) => sum + 2 - distance(length, taste[at] as Length), 0);
}

export function mostPoints({ lines }: Pick<Note, "lines">): number {
  return 2 * lines.length;
}

export function writeNote({ lines, facts }: Note, lengths: readonly Length[]): string {
  return lines
    .map((line, at) => {
      const wording = draftWords().lines[line][LENGTHS.indexOf(lengths[at] as Length)] as string;
      return `${line}: ${writeWording(wording, facts)}`;
    })
    .join("\n");
}

/** What the reader says of a draft: of the line that is furthest from what it should be, or of nothing in particular. */
export function remark(note: Note, lengths: readonly Length[], seed: string): string {
  const { lines, taste } = note;
  const off = lengths.map((length, at) => distance(length, taste[at] as Length));
  const worst = off.indexOf(Math.max(...off));
  const rng = createRng(seed).split(lengths.join(" "));
  const { tooLong, tooShort, content } = draftWords();
  if (off[worst] === 0) return writeWording(pick(content, rng) as string, { line: pick(lines, rng) as string });
  const isLong = LENGTHS.indexOf(lengths[worst] as Length) > LENGTHS.indexOf(taste[worst] as Length);
  return writeWording(pick(isLong ? tooLong : tooShort, rng) as string, { line: lines[worst] as string });
}

function distance(one: Length, other: Length): number {
  return Math.abs(LENGTHS.indexOf(one) - LENGTHS.indexOf(other));
}
