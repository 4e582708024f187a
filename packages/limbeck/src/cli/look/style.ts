/** Colours by meaning, or none. Give it cleaned text only: it adds escape sequences, it does not remove them. */

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const satisfies Record<string, readonly [number, number]>;

export type Style = { readonly [name in keyof typeof CODES]: (text: string) => string } & { readonly on: boolean };

export function createStyle(on: boolean): Style {
  const paint =
    ([open, close]: readonly [number, number]) =>
    (text: string): string =>
      on && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    on,
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    italic: paint(CODES.italic),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    blue: paint(CODES.blue),
    magenta: paint(CODES.magenta),
    cyan: paint(CODES.cyan),
  };
}

/**
 * NO_COLOR and `--no-color` win over everything, then FORCE_COLOR, then whether it is a terminal that can.
 * An empty NO_COLOR counts as unset, as its convention says.
 */
export function wantsColour(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: boolean;
  readonly noColour: boolean;
}): boolean {
  const { env } = options;
  if (options.noColour || (env["NO_COLOR"] ?? "") !== "") return false;
  if ((env["FORCE_COLOR"] ?? "") !== "") return env["FORCE_COLOR"] !== "0";
  return options.terminal && env["TERM"] !== "dumb";
}
