/**
 * From a number of a token to its colour. Signed measures run from orange (below zero) over nothing to blue (above it),
 * a pair that people with any kind of colour blindness can tell apart; unsigned ones run from nothing to violet.
 */
export type Measure = "advantage" | "teacher" | "divergence" | "entropy" | "probability";

export interface Shade {
  readonly side: "more" | "less" | "amount";
  /** 0 to 1. */
  readonly strength: number;
}

export interface ColourScale {
  readonly measure: Measure;
  /** The size at which the colour is full. */
  readonly full: number;
}

const SIGNED: Readonly<Record<Measure, boolean>> = {
  advantage: true,
  teacher: true,
  divergence: false,
  entropy: false,
  probability: false,
};

export function isSigned(measure: Measure): boolean {
  return SIGNED[measure];
}

/** Undefined where there is nothing to show: no number, or none that differs from zero. */
export function shadeOf({ measure, full }: ColourScale, value: number | null | undefined): Shade | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  const amount = measure === "probability" ? 1 - value : Math.abs(value);
  const strength = Math.min(1, Math.max(0, amount / full));
  if (strength === 0) return undefined;
  // A square root would flatter noise; a straight line keeps twice the advantage twice the colour.
  return { side: SIGNED[measure] ? (value > 0 ? "more" : "less") : "amount", strength };
}

/** The text stays readable on the strongest shade in both themes: the contrast was checked by the tests in a browser. */
const STRONGEST_PERCENT = 55;

/** As CSS; the names are those of the theme, so the colours follow it. */
export function shadeCss(shade: Shade | undefined): string {
  if (shade === undefined) return "transparent";
  const percent = Math.round(shade.strength * STRONGEST_PERCENT * 10) / 10;
  return `color-mix(in oklab, var(--${shade.side}) ${percent}%, transparent)`;
}
