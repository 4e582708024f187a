/** What a reader wants to know of anything that is chosen by name; lists, `limbeck explain` and the docs are made from it. */

/** What it follows: published code, a paper, a third party's reading of it, an abstract and our own judgement, or common practice. */
export type Confidence = "code" | "paper" | "reading" | "inferred" | "practice";

export interface EntryInfo {
  readonly title: string;
  /** One sentence. */
  readonly meaning: string;
  readonly paper?: string;
  readonly confidence?: Confidence;
  /** What was read: "owner/name @ commit; file: function", or the paper's sections, or whose reading. */
  readonly source?: string;
  /** Lines of plain text. */
  readonly formula?: readonly string[];
  /** Where it departs from what was published, and what was published in more than one way. */
  readonly departures?: readonly string[];
}

/** What follows an abstract or a third party's reading may change when more is known: `limbeck/experimental`. */
export function isExperimental({ confidence }: EntryInfo): boolean {
  return confidence === "inferred" || confidence === "reading";
}

/** "inferred, experimental": what an entry follows, as every list says it. */
export function followsWords(info: EntryInfo): string {
  const { confidence = "-" } = info;
  return isExperimental(info) ? `${confidence}, experimental` : confidence;
}

/** A method says all of it; what is common practice has no source. */
export type MethodInfo = Required<Omit<EntryInfo, "source">> & Pick<EntryInfo, "source">;
