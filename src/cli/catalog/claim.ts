/** What a row of the catalog may claim. */
export interface Claim {
  readonly state: "works" | "part";
  /** The file or registry entry. */
  readonly lives: string;
  /** One command that shows it. */
  readonly command: string;
  /** What a part lacks. */
  readonly missing?: string;
}
