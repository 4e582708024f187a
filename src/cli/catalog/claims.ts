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
    lives: "src/store/formats/adp.ts",
    command: "limbeck import FILE --format adp",
    missing:
      "Reads versions 1.0 to 1.2, and reads and writes ATIF, their successor. The renderers for fine-tuning, with loss masks, come with release 0.3.",
  },
};
