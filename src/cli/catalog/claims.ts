/**
 * What works, by the system's name in data/catalog.tsv. A method that is built adds its line here; everything else is
 * "not yet". A test refuses a claim without a command, for an unknown system or with a command that does not exist.
 */

export interface Claim {
  readonly state: "works" | "part";
  /** The file or registry entry. */
  readonly lives: string;
  /** One command that shows it. */
  readonly command: string;
  /** What a part lacks. */
  readonly missing?: string;
}

export const claims: Readonly<Record<string, Claim>> = {
  "Agent Data Protocol (ADP)": {
    state: "part",
    lives: "src/store/formats/atif.ts",
    command: "limbeck import FILE --format atif",
    missing: "Reads and writes ATIF, the protocol's present standard form; files of the older schema 1.x are not read.",
  },
};
