/** What the catalogue tells of a published system. */
export type State = "works" | "part" | "not yet";

export const STATES: readonly State[] = ["works", "part", "not yet"];

/** One line of data/catalog.tsv; "-" in the repository column is no repository. */
export interface System {
  readonly system: string;
  readonly title: string;
  readonly family: string;
  readonly scope: string;
  readonly module: string;
  readonly what: string;
  readonly mechanism: string;
  readonly proof: string;
  readonly repository: string | null;
}

/** One line of data/claims.tsv: what works here. A method that is built adds its line; everything else is "not yet". */
export interface Claim {
  readonly system: string;
  readonly state: string;
  /** The file or registry entry. */
  readonly lives: string;
  /** One command that shows it. */
  readonly command: string;
  /** What a part lacks; "-" in the file is nothing. */
  readonly missing: string | null;
}

export interface Entry extends System {
  readonly state: State;
  /** Where it lives, when something is there. */
  readonly lives: string | null;
  /** One command that shows it. */
  readonly command: string | null;
  /** Why it does not work, or what is missing. */
  readonly reason: string | null;
}
