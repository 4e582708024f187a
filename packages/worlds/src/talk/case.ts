/** A person to talk to: what kind of case it is, which stays hidden, and what is known of all kinds. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { pick, shuffle, type Rng } from "limbeck-base/base/rng";
import { words, worldTable } from "limbeck-core/env/world-data";

export const PEOPLE = ["patient", "customer", "reviewer"] as const;
export type PersonId = (typeof PEOPLE)[number];

const wordings = z.array(z.string()).min(1);

const person = z.strictObject({
  task: z.string(),
  /** How a question, a kind word and the conclusion begin as actions. */
  ask: z.string(),
  soothe: z.string(),
  conclude: z.string(),
  topics: words,
  kinds: words,
  opening: wordings,
  yes: wordings,
  no: wordings,
  repeated: wordings,
  soothed: wordings,
  tired: wordings,
  leaves: wordings,
  right: wordings,
  wrong: wordings,
});

export type Person = z.output<typeof person>;

export const talkWords = worldTable(
  "talk.json",
  z.strictObject({
    tones: z.strictObject({ calm: wordings, short: wordings, angry: wordings }),
    people: z.record(z.enum(PEOPLE), person),
  }),
);

interface Level {
  readonly kinds: number;
  readonly topics: number;
}

export const levels = {
  small: { kinds: 4, topics: 4 },
  medium: { kinds: 6, topics: 6 },
  large: { kinds: 9, topics: 8 },
} as const satisfies Record<string, Level>;

export type LevelId = keyof typeof levels;

export interface Kind {
  readonly name: string;
  /** What holds of it; every other topic does not. */
  readonly topics: readonly string[];
}

export interface Case {
  readonly who: PersonId;
  readonly topics: readonly string[];
  /** What everybody may know: which topics go with which kind. */
  readonly kinds: readonly Kind[];
  /** What the person says unasked; it goes with the hidden kind. */
  readonly complaint: string;
  /** The two hidden facts. */
  readonly kind: Kind;
  readonly isTouchy: boolean;
}

export function drawCase(dial: string, rng: Rng): Case {
  const [who = "", levelId = ""] = dial.split(" ");
  const level = lookUp<Level>(levels, levelId, "talk level");
  const { topics: allTopics, kinds: names } = lookUp<Person>(talkWords().people, who, "person of talk");
  const topics = shuffle(allTopics, rng).slice(0, level.topics);
  const kinds: Kind[] = [];
  const known = new Set<string>();
  for (const name of shuffle(names, rng).slice(0, level.kinds))
    kinds.push({ name, topics: profile(topics, known, rng) });
  const kind = pick(kinds, rng) as Kind;
  const complaint = pick(kind.topics, rng) as string;
  return { who: who as PersonId, topics, kinds, kind, complaint, isTouchy: rng.float() < 0.5 };
}

/** Half of the topics or one more, never the same for two kinds, so that asking can always tell them apart. */
function profile(topics: readonly string[], known: Set<string>, rng: Rng): string[] {
  for (let tried = 0; tried < 1_000; tried += 1) {
    const size = topics.length / 2 + rng.int(2);
    const some = new Set(shuffle(topics, rng).slice(0, size));
    const own = topics.filter((topic) => some.has(topic));
    if (known.has(own.join())) continue;
    known.add(own.join());
    return own;
  }
  throw new EngineError("internal", `No further kind can be told apart by ${topics.length} topics.`);
}

/** Public facts and the first remark; the hidden kind is no part of it. */
export function caseKey({ who, kinds, complaint }: Case): string {
  return JSON.stringify([who, kinds, complaint]);
}
