/** A skill as it is chosen among others; a library has more of each, a caller's own list may have less. */

/** Advice for every task of a world, for one kind of task, or for one decision. */
export const LIBRARY_LEVELS = ["general", "task", "step"] as const;
export type LibraryLevel = (typeof LIBRARY_LEVELS)[number];

/** Which skills are in use: these and no others are offered, whichever way a skill reaches an agent. */
const IN_USE: readonly string[] = ["active", "advisory"];

export function isInUse({ status }: { readonly status: string }): boolean {
  return IN_USE.includes(status);
}

export interface When {
  /** Goals that it fits; {1}, {2}, … stand for one word each, the same in the text. */
  readonly goals: readonly string[];
  /** Fits only where one of these words is asked about or seen. */
  readonly words?: readonly string[];
  /** Step level: the situation, as the agent saw it. */
  readonly state?: string;
}

export interface OfferedSkill {
  readonly name: string;
  readonly version: string;
  readonly level: LibraryLevel;
  readonly status: string;
  readonly when: When;
  readonly text: string;
  readonly statistics: { readonly successes: number; readonly failures: number; readonly utility: number };
  /** Names of skills that advise the opposite for the same goals. */
  readonly contradicts?: readonly string[];
  /** What `limbeck lift` found; the selection reads what chose there. */
  readonly lift?: { readonly verdict: string; readonly setting: Readonly<Record<string, unknown>> };
}

/** PANDO: c = (successes + 1) / (successes + failures + 2). Only uses in which the skill was cited count. */
export function confidence({ successes, failures }: Omit<OfferedSkill["statistics"], "utility">): number {
  return (successes + 1) / (successes + failures + 2);
}
