/** The contract of a lesson: something to learn at one step of a finished trajectory, in words. */
export interface Lesson {
  readonly trajectory: string;
  /** Index of one of its own steps; what was read before it is the context. */
  readonly step: number;
  /** What should be answered there, in the place of what was. Default: the step's own answer, exact to the token. */
  readonly answer?: string;
  /** Whether the answer is learned; otherwise it is only read. */
  readonly learnAnswer: boolean;
  /** What comes after the answer and is learned: what the world replies, or why the answer is a good one. */
  readonly after?: string;
}

/** Where a reason stands: before the action, as part of the answer, or after it, where acting never generates it. */
export const THOUGHT_PLACES = ["after", "before"] as const;
export type ThoughtPlace = (typeof THOUGHT_PLACES)[number];

/** An action with its reason as a lesson. `write` says how an answer with a thought before its action is written. */
export function reasonedLesson(
  at: { readonly trajectory: string; readonly step: number },
  { action, thought }: { readonly action: string; readonly thought: string },
  { place, write }: { readonly place: ThoughtPlace; readonly write: (thought: string, action: string) => string },
): Lesson {
  return place === "before"
    ? { ...at, answer: write(thought, action), learnAnswer: true }
    : { ...at, answer: action, learnAnswer: true, after: thought };
}

/** One line of at most so many characters, for texts of the world inside a reason. */
export function inShort(text: string, characters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= characters) return line;
  const cut = line.slice(0, characters - 1);
  const space = cut.lastIndexOf(" ");
  return `${space > characters / 2 ? cut.slice(0, space) : cut}…`;
}
