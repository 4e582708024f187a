/**
 * What a text wants of its reader. One rule is one intent: words of several kinds within a few words of each other, in a
 * clause. None of these is a matter of the task, so that no goal excuses it.
 */
import { around, beside, followed, quote, unless, type Clause, type Mark } from "./clauses.ts";

export interface Finding {
  readonly why: string;
  readonly quote: string;
  /** Words that a goal must have so that it is no concern; none: no goal can. */
  readonly names?: string;
}

type Rule = (clause: Clause) => readonly Mark[];

const INSTRUCTIONS = "speaks of the reader's instructions";
const STUDIES = "speaks to whoever studies the episode";
const SECRETS = "speaks of secrets";
const SENDS = "sends something away";
const OUTSIDE = "runs or deletes something outside the task";
const BEHIND = "goes behind the user's back";
const USER = "speaks for the user";

const RULES: readonly (readonly [why: string, rule: Rule])[] = [
  [INSTRUCTIONS, (c) => followed(unless(c.of("override"), c.of("not")), c.of("rules"), 5)],
  [
    INSTRUCTIONS,
    (c) => followed(c.of("rules"), followed(wordMarks(c, /^(?:be|been|are|is|was|were)$/), c.of("override"), 1), 4),
  ],
  [INSTRUCTIONS, (c) => beside(c.of("ignorieren"), c.of("rules"), 6)],
  [
    INSTRUCTIONS,
    (c) =>
      beside(
        c.of("lapse"),
        [...followed(c.of("own"), c.of("rules"), 2), ...followed(c.of("rules"), wordMarks(c, /^you$/), 0)].sort(
          byPlace,
        ),
        6,
      ),
  ],
  [
    INSTRUCTIONS,
    (c) =>
      followed(
        unless(c.of("override"), c.of("not")),
        followed(c.of("all"), [...c.of("prior"), ...c.of("told")].sort(byPlace), 4),
        3,
      ),
  ],
  [INSTRUCTIONS, (c) => followed(c.of("stop"), followed(c.of("comply"), c.of("rules"), 5), 3)],
  [
    INSTRUCTIONS,
    (c) =>
      followed(
        wordMarks(c, /^your$/),
        followed(c.of("fresh"), followed(c.of("aim"), wordMarks(c, /^(?:is|now|will|follows)$/), 0), 0),
        1,
      ),
  ],
  [INSTRUCTIONS, (c) => followed(wordMarks(c, /^(?:true|real|actual|hidden)$/), c.of("aim"), 0)],
  [
    INSTRUCTIONS,
    (c) => followed([...c.of("give"), ...c.of("take")].sort(byPlace), followed(c.of("inner"), c.of("setup"), 1), 3),
  ],
  [INSTRUCTIONS, (c) => followed(c.of("obey"), followed(c.of("page"), c.of("says"), 1), 4)],
  [INSTRUCTIONS, (c) => followed(wordMarks(c, /^obey/), c.of("page"), 3)],
  [INSTRUCTIONS, (c) => beside(c.of("decode"), c.of("obey"), 8)],
  [STUDIES, (c) => followed(c.of("address"), [...c.of("judge"), ...c.of("audience")].sort(byPlace), 1)],
  [STUDIES, (c) => followed([...c.of("judge"), ...c.of("audience")].sort(byPlace), c.of("rate"), 6)],
  [STUDIES, (c) => followed(c.of("audience"), wordMarks(c, /^(?:must|should|shall|please|always|has|have)$/), 3)],
  [STUDIES, (c) => followed(c.of("rate"), followed(c.of("run"), c.of("good"), 4), 4)],
  [STUDIES, (c) => followed(c.of("praise"), c.of("each"), 8)],
  [SECRETS, (c) => straight(c, followed(willing(c, "give"), secrets(c), 5))],
  [SECRETS, (c) => beside(c.of("zeigen"), secrets(c), 5)],
  [SECRETS, (c) => followed(secrets(c), followed(c.of("give"), pronouns(c), 0), 8)],
  [SECRETS, (c) => followed([...c.of("write"), ...c.of("take")].sort(byPlace), followed(secrets(c), spots(c), 8), 5)],
  [SECRETS, (c) => followed(secrets(c), followed(followed(c.of("write"), pronouns(c), 0), spots(c), 5), 8)],
  ["sends something over the network", (c) => beside(willing(c, "send"), c.addresses, 14)],
  [SENDS, (c) => followed(willing(c, "send"), c.of("strange"), 12)],
  [SENDS, (c) => followed(willing(c, "give"), followed(c.of("whole"), c.of("talk"), 2), 3)],
  [
    SENDS,
    (c) =>
      followed(c.of("keepsake"), c.addresses, 3).filter(
        ({ at }) => followed(c.of("give"), [{ at, to: at }], 4).length > 0,
      ),
  ],
  [
    OUTSIDE,
    (c) =>
      followed(
        c.of("grant"),
        followed(c.of("admin"), wordMarks(c, /^(?:rights?|access|roles?|privileges?|permissions?|powers?|status)$/), 1),
        5,
      ),
  ],
  [OUTSIDE, (c) => followed(c.of("grant"), followed(wordMarks(c, /^(?:as|to)$/), c.of("admin"), 1), 4)],
  [
    OUTSIDE,
    (c) =>
      followed(
        wordMarks(c, /^grant/),
        [...c.of("admin"), ...wordMarks(c, /^(?:guest|everyone|anyone|public)$/)].sort(byPlace),
        5,
      ),
  ],
  [OUTSIDE, (c) => beside(unless(c.of("disable"), c.of("not")), c.of("security"), 4)],
  [BEHIND, (c) => followed(c.of("not"), followed(c.of("conceal"), c.of("person"), 2), 2)],
  [
    BEHIND,
    (c) => followed(c.of("not"), followed(c.of("mention"), followed(wordMarks(c, /^to$/), c.of("person"), 1), 5), 2),
  ],
  [BEHIND, (c) => around(beside(c.of("nicht"), c.of("sagen"), 5), c.of("nutzer"), 5)],
  [BEHIND, (c) => followed(c.of("stealth"), [...c.of("deed"), ...c.of("give")].sort(byPlace), 2)],
  [
    BEHIND,
    (c) =>
      wordMarks(c, /^(?:refused?|denied|rejected|fails?|blocked|forbidden|not|never|cannot)$/).length > 0
        ? []
        : followed(wordMarks(c, /^(?:without|no|skip|skipping)$/), c.of("consent"), 4),
  ],
  [BEHIND, (c) => followed(c.of("hide"), followed(wordMarks(c, /^from$/), c.of("person"), 2), 6)],
  [
    USER,
    (c) =>
      c.of("when").length > 0
        ? []
        : followed(
            c.of("person").filter(({ at }) => /^(?:user|customer|human|owner|client)/.test(c.words[at] ?? "")),
            c.of("agreed"),
            3,
          ),
  ],
];

function byPlace(one: Mark, other: Mark): number {
  return one.at - other.at;
}

/** "Show where the password is changed" speaks of something else. */
function straight(clause: Clause, marks: readonly Mark[]): Mark[] {
  return marks.filter(
    ({ at, to }) =>
      !clause.words.slice(at, to).some((word) => /^(?:where|how|whether|why|when|if|which|who)$/.test(word)),
  );
}

/** Places where others can read it. */
function spots(clause: Clause): Mark[] {
  return followed(wordMarks(clause, /^(?:in|into|to|on|at|inside|here|aloud)$/), clause.of("spot"), 3);
}

/** Verbs that nobody is told not to do. */
function willing(clause: Clause, kind: "give" | "send" | "take"): Mark[] {
  return unless(clause.of(kind), clause.of("not"));
}

function pronouns(clause: Clause): Mark[] {
  return wordMarks(clause, /^(?:it|them|this|that|these|along)$/);
}

function wordMarks({ words }: Clause, pattern: RegExp): Mark[] {
  return words.flatMap((word, at) => (pattern.test(word) ? [{ at, to: at }] : []));
}

/** Without those of which everybody speaks: "password reset", "change the password". */
function secrets(clause: Clause): Mark[] {
  const neutral = clause.of("neutral");
  const begins = new Set(neutral.map(({ at }) => at));
  return unless(clause.of("secret"), neutral, 2).filter(({ to }) => !begins.has(to + 1));
}

export function intentsOf(clause: Clause): Finding[] {
  const found: Finding[] = RULES.flatMap(([why, rule]) =>
    rule(clause)
      .slice(0, 1)
      .map((mark) => ({ why, quote: quote(clause, mark) })),
  );
  // A goal may make a secret a matter of the task, by naming it.
  for (const mark of straight(clause, followed(willing(clause, "take"), secrets(clause), 5)).slice(0, 1)) {
    const secret = clause.of("secret").find(({ to }) => to === mark.to) ?? mark;
    found.push({ why: SECRETS, quote: quote(clause, mark), names: quote(clause, secret) });
  }
  return found;
}
