/** What a study of the chooser is given, and what each of its arms says. */
export interface Of {
  readonly seed: number;
  readonly split: string;
  readonly quick: boolean;
  /** In the place of the arm's own, for pilots. */
  readonly rate?: number;
}

export type Figures = Readonly<Record<string, number>>;
export type Arms = Readonly<Record<string, (of: Of) => Promise<Figures>>>;
