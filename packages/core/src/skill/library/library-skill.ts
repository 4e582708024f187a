/** The contract of the library: a skill as a file that people read, diff and review, and what was decided about it. */
import type { LibraryLevel, OfferedSkill, When } from "limbeck-recorder/selection/offered-skill";
import type { JsonObject } from "limbeck-base/base/json";

export { LIBRARY_LEVELS, type LibraryLevel, type When } from "limbeck-recorder/selection/offered-skill";

/**
 * candidate: extracted, not tested yet. unproven: too little evidence behind it (see `groundedness`). active: its lift
 * was measured, or its uses speak for it. advisory: demoted once; offered after active ones. archived: out of use.
 * quarantined: the screen found something that a person must look at. Only active and advisory skills are offered.
 */
export const STATUSES = ["candidate", "unproven", "active", "advisory", "archived", "quarantined"] as const;
export type Status = (typeof STATUSES)[number];

/** Where a skill was seen: a trajectory of a run in the store, and its steps. */
export interface Link {
  readonly run?: string;
  readonly trajectory: string;
  readonly steps: readonly number[];
}

/** How episodes went in which it was offered and cited, and in which it fitted and was not offered. */
export interface SkillStatistics {
  readonly uses: number;
  readonly successes: number;
  readonly failures: number;
  readonly withoutUses: number;
  readonly withoutSuccesses: number;
  /** Moving mean of rewards of its uses (Skill1). */
  readonly utility: number;
  /** ISO 8601; missing where it was never used. */
  readonly lastUsed?: string;
}

/** A measured difference of success, in shares: 0.1 is ten points. */
export interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What `limbeck lift` found; kept with the skill. */
export interface LiftRecord {
  readonly at: string;
  readonly verdict: "helps" | "harms" | "no-lift" | "cannot-tell";
  readonly over: { readonly bare: Difference; readonly placebo: Difference };
  readonly success: { readonly skill: number; readonly bare: number; readonly placebo: number };
  readonly pairs: number;
  /** The skill text's tokens in a prompt, and per point of lift over the placebo; null where there is no lift. */
  readonly promptTokens: number;
  readonly tokensPerPoint: number | null;
  readonly setting: JsonObject;
}

/** What it was learnt on. Once one of these is another, the advice may be wrong. */
export interface RestsOn {
  /** When these were looked at, ISO 8601. */
  readonly at: string;
  /** The folder that the files lie in, on the machine of the sessions. */
  readonly folder?: string;
  /** Files that the text names, from that folder, with a hash of what they held. */
  readonly files: readonly { readonly path: string; readonly hash: string }[];
  /** Tools that the text names. */
  readonly tools: readonly string[];
  /** The agent's program and the packages that the text names, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface LibrarySkill extends OfferedSkill {
  /** Folder name: lower-case words joined by hyphens. */
  readonly name: string;
  /** One line: what it is and when to use it; what agents choose by. */
  readonly description: string;
  readonly level: LibraryLevel;
  readonly status: Status;
  /** Hash of level, text and when: the same advice has the same version wherever it is. */
  readonly version: string;
  readonly when: When;
  readonly text: string;
  readonly evidence: readonly Link[];
  /** How many episodes of its kind succeeded and failed when it was extracted. */
  readonly support: { readonly successes: number; readonly failures: number };
  /** PDI-style index; missing where it was not computed. */
  readonly groundedness?: number;
  readonly statistics: SkillStatistics;
  readonly lift?: LiftRecord;
  readonly restsOn?: RestsOn;
  /** Names of skills that advise the opposite for the same goals. */
  readonly contradicts?: readonly string[];
  /** Why the screen stopped it. */
  readonly concerns?: readonly string[];
  /** Which analyst wrote it, or who. */
  readonly source: string;
}

/** One line of a skill's history; the newest is the present. */
export interface Change {
  readonly number: number;
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly why?: string;
  readonly status: Status;
  readonly version: string;
}

/** One use of a skill in an episode, as an agent, a rollout or a person reports it. */
export interface Use {
  readonly at: string;
  /** Whether the skill was offered and cited; false: it fitted and the episode went without it. */
  readonly offered: boolean;
  /** Null where the outcome is unknown: it was used, and proves nothing. */
  readonly success: boolean | null;
  /** Default: 1 or 0 by success. */
  readonly reward?: number;
  /** Run of the trajectory in a store. Of a trajectory with a run the last line counts, so that outcomes may change. */
  readonly run?: string;
  readonly trajectory?: string;
  readonly by?: string;
}

export const NO_STATISTICS: SkillStatistics = {
  uses: 0,
  successes: 0,
  failures: 0,
  withoutUses: 0,
  withoutSuccesses: 0,
  utility: 0,
};
