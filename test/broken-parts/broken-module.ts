/** One of the files that break something, with the error that it must end with. */

export interface BrokenModule {
  /** Name of the file, with its ending. */
  readonly file: string;
  readonly kind: string;
  readonly code: string;
  readonly says: RegExp;
  readonly text: string;
}

const GOOD = `import { agent, credit, env, episode, objective, recipe, reward, search, strategy, world } from "./good-parts.ts";\n`;

export function broken(
  file: string,
  kind: string,
  code: string,
  says: RegExp,
  body: string,
  good = true,
): BrokenModule {
  return { file: `${file}.ts`, kind, code, says, text: `${good ? GOOD : ""}${body}\n` };
}

export const NEVER = "new Promise(() => {})";
export const LOOP = "{ for (;;); }";
