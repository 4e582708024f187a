import { expect, test } from "vitest";
import { tinyConfig, tinyForms } from "../../../../../test/support/tiny-model.ts";
import type { ModelConfig } from "./model-config.ts";
import { rotaryValues } from "./rotary.ts";

/** How far each pair turns from position 0 to position 1. */
function turns(config: ModelConfig, kind = "global"): number[] {
  const { [`${kind}.cosine`]: cosine = [], [`${kind}.sine`]: sine = [] } = rotaryValues(config, 2);
  const half = config.headSize / 2;
  return Array.from({ length: half }, (_, at) => Math.atan2(sine[half + at] as number, cosine[half + at] as number));
}

const near = (found: readonly number[], wanted: readonly number[]): void =>
  wanted.forEach((value, at) => expect((found[at] as number) / value).toBeCloseTo(1, 5));

test("Llama 3: fast turns stay, slow ones are slowed down, those between are blended", () => {
  // Heads of 8 with theta 10,000 turn by 1, 0.1, 0.01 and 0.001 a position. Within 640 positions that is 640 / 2 pi =
  // 101.86, 10.186, 1.0186 and 0.10186 whole turns. From 4 turns on a rate stays, up to 0.5 it is divided by 8, and 1.0186
  // turns are (1.0186 - 0.5) / (4 - 0.5) = 0.148169 of the way: 0.01 (0.148169 + 0.851831 / 8) = 0.00254648.
  const ropeScaling = { type: "llama3", factor: 8, lowFrequency: 0.5, highFrequency: 4, originalContext: 640 } as const;
  near(turns({ ...tinyConfig, ropeScaling }), [1, 0.1, 0.002_546_48, 0.000_125]);
});

test("linear stretching divides every rate; layers with a window keep their own", () => {
  near(turns({ ...tinyConfig, ropeScaling: { type: "linear", factor: 4 } }), [0.25, 0.025, 0.0025, 0.000_25]);
  // theta 1,000,000: 1, 10^-1.5, 10^-3, 10^-4.5, each divided by 4.
  near(turns(tinyForms.gemma3), [0.25, 0.007_905_69, 0.000_25, 0.000_007_905_69]);
  near(turns(tinyForms.gemma3, "local"), [1, 0.1, 0.01, 0.001]);
});

test("longrope divides each rate by a factor of its own and sharpens sines and cosines", () => {
  near(turns(tinyForms.phi3), [1, 0.1 / 1.2, 0.01 / 1.5, 0.001 / 2]);
  // sqrt(1 + ln 4 / ln 160) = sqrt(1 + 1.386294 / 5.075174) = 1.128340
  expect(rotaryValues(tinyForms.phi3, 1)["global.cosine"]?.[0]).toBeCloseTo(1.128_34, 5);
});

test("queries carry the scale of scores: one over the root of the head size, or of the query scalar", () => {
  expect(rotaryValues(tinyConfig, 1)["global.queryCosine"]?.[0]).toBeCloseTo(1 / Math.sqrt(8), 6);
  expect(rotaryValues(tinyForms.gemma3, 1)["local.queryCosine"]?.[0]).toBeCloseTo(1 / Math.sqrt(20), 6);
});
