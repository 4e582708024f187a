/** What a demonstrator was told to prefer and to avoid, and how that changes a choice between several ways. */
import { drawWeighted } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";

/** One way to go on: the command in the end, and the place to go to first where it is given elsewhere. */
export interface Option {
  readonly command: string;
  readonly place?: string;
  /** The appliance that it believes in. */
  readonly aim?: string;
}

export interface Advice {
  readonly preferred: readonly string[];
  readonly avoided: readonly string[];
}

export const NO_ADVICE: Advice = { preferred: [], avoided: [] };

/** Advice about one mug holds for another: numbers of things are left out where no command is the same in full. */
function withoutNumbers(command: string): string {
  return command.replaceAll(/ \d+/g, "");
}

export function advised({ preferred }: Advice, command: string): boolean {
  return preferred.includes(command) || preferred.some((other) => withoutNumbers(other) === withoutNumbers(command));
}

/** The preferred way if there is one; else by weight among those not avoided; all of them when nothing else is left. */
export function chooseOption<T extends Option>(
  ways: readonly { readonly option: T; readonly weight: number }[],
  advice: Advice,
  rng: Rng,
): T {
  const walk = ({ place }: Option): string => `go to ${place ?? "nowhere"}`;
  const preferred = ways.find(
    ({ option }) => advised(advice, option.command) || advice.preferred.includes(walk(option)),
  );
  if (preferred !== undefined) return preferred.option;
  const left = ways.filter(
    ({ option }) => !advice.avoided.includes(option.command) && !advice.avoided.includes(walk(option)),
  );
  const entries = (left.length > 0 ? left : ways).map(({ option, weight }) => [option, weight] as const);
  return drawWeighted(entries, rng) ?? (ways[0] as { readonly option: T }).option;
}
