/** Every operator, by name. */
import type { Operator } from "../operator.ts";
import { add } from "./add.ts";
import { attend } from "./attend.ts";
import { cast } from "./cast.ts";
import { concat } from "./concat.ts";
import { div } from "./div.ts";
import { equal } from "./equal.ts";
import { exp } from "./exp.ts";
import { expand } from "./expand.ts";
import { gatedSilu } from "./gated-silu.ts";
import { gather } from "./gather.ts";
import { gatherElements } from "./gather-elements.ts";
import { gemm } from "./gemm.ts";
import { greater } from "./greater.ts";
import { log } from "./log.ts";
import { logSoftmax } from "./log-softmax.ts";
import { matmul } from "./matmul.ts";
import { min } from "./min.ts";
import { mul } from "./mul.ts";
import { neg } from "./neg.ts";
import { pad } from "./pad.ts";
import { pickLinear } from "./pick-linear.ts";
import { pickLogprob } from "./pick-logprob.ts";
import { quantisedLinear } from "./quantised-linear.ts";
import { reciprocal } from "./reciprocal.ts";
import { reduceMax } from "./reduce-max.ts";
import { reduceMean } from "./reduce-mean.ts";
import { reduceSum } from "./reduce-sum.ts";
import { reshape } from "./reshape.ts";
import { rmsNorm } from "./rms-norm.ts";
import { rotary } from "./rotary.ts";
import { scatterElements } from "./scatter-elements.ts";
import { scatterRows } from "./scatter-rows.ts";
import { sigmoid } from "./sigmoid.ts";
import { silu } from "./silu.ts";
import { slice } from "./slice.ts";
import { softmax } from "./softmax.ts";
import { split } from "./split.ts";
import { sqrt } from "./sqrt.ts";
import { stopGradient } from "./stop-gradient.ts";
import { sub } from "./sub.ts";
import { tanh } from "./tanh.ts";
import { topK } from "./top-k.ts";
import { transpose } from "./transpose.ts";
import { where } from "./where.ts";

export const operators = {
  add,
  attend,
  cast,
  concat,
  div,
  equal,
  exp,
  expand,
  gatedSilu,
  gather,
  gatherElements,
  gemm,
  greater,
  log,
  logSoftmax,
  matmul,
  min,
  mul,
  neg,
  pad,
  pickLinear,
  pickLogprob,
  quantisedLinear,
  reciprocal,
  reduceMax,
  reduceMean,
  reduceSum,
  reshape,
  rmsNorm,
  rotary,
  scatterElements,
  scatterRows,
  sigmoid,
  silu,
  slice,
  softmax,
  split,
  sqrt,
  stopGradient,
  sub,
  tanh,
  topK,
  transpose,
  where,
} as const satisfies Record<string, Operator>;

export type OperatorId = keyof typeof operators;
