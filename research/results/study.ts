/** A study of docs/evidence/results: what it shows and the command that shows it again. */
export interface Study {
  /** `npm run results -- NAME` runs it. */
  readonly name: string;
  readonly title: string;
  /** Lines of Markdown with the figures. `words` are the options after the name, for studies that take some. */
  readonly run: (print: (line: string) => void, words?: readonly string[]) => Promise<void>;
}
