/** Base: errors, seeded randomness, statistics, concurrency, look-ups, assignments, word search, similar texts, conformance, JSON, files, HTTP and logging. No domain words enter here. */
export type { Bm25Options } from "./bm25.ts";
export { mapLimit, type ConcurrencyOptions } from "./concurrency.ts";
export type { CaseRunOptions, CaseTable } from "./conformance.ts";
export { ERROR_CODES, type EngineErrorCode } from "./error-codes.ts";
export { EngineError, errorCode, errorData, isAbort, throwIfAborted, type PlainError } from "./errors.ts";
export { replaceFile } from "./files.ts";
export { canonicalJson, isObject, parseJson, parseObject, type Json, type JsonObject } from "./json.ts";
export { OPTIONAL_PARTS } from "./optional-part.ts";
export { loadPart, type LoadedPart, type LoadPartOptions } from "./parts/load-part.ts";
export { withoutUndefined, type Mutable } from "./fields.ts";
export { groupedBy } from "./grouped-by.ts";
export type { Confidence, EntryInfo, MethodInfo } from "./method-info.ts";
export { option } from "./option.ts";
export { optionsSchema } from "./option-schema.ts";
export type { DeepTable, GivenOptions, OptionSpec, OptionTable, OptionValue, OptionValues } from "./option-table.ts";
export { badOption, resolveOptions } from "./options.ts";
export { bothTiers, lookUp, unknownName } from "./registry.ts";
export { createRng, drawWeighted, pick, restoreRng, shuffle, type Rng, type RngState } from "./rng.ts";
export {
  bootstrap,
  bootstrapUnits,
  pairedBootstrap,
  pairedDifferences,
  type BootstrapMethod,
  type BootstrapOptions,
} from "./statistics/bootstrap.ts";
export { bradleyTerry, type Match, type Rating, type RatingOptions, type Ratings } from "./statistics/bradley-terry.ts";
export { compareArms, type ArmComparison, type CompareArmsOptions } from "./statistics/compare-arms.ts";
export {
  alignCurves,
  areaUnder,
  bootstrapBand,
  censoredMedian,
  xToReach,
  type AlignedCurves,
  type Band,
  type Curve,
  type CurvePoint,
  type Interpolation,
} from "./statistics/curve.ts";
export type { Interval } from "./statistics/interval.ts";
export { holm, simultaneousConfidence } from "./statistics/multiple.ts";
export {
  pairedPermutationTest,
  signTest,
  type PermutationTest,
  type SignTestResult,
} from "./statistics/paired-tests.ts";
export { meanPassAtK, passAtK } from "./statistics/pass-at-k.ts";
export { boundedDifference, boundedMean, shareDifference, wilson } from "./statistics/share.ts";
export { hasInterval, tInterval, type MeanInterval } from "./statistics/student-t.ts";
export { deviation, mean, median, quantile, sampleDeviation, sum } from "./statistics/summary.ts";
export { standings, type Standing, type StandingsTable } from "./statistics/tiers.ts";
export { startRunning, type Running } from "./running.ts";
export { similarity, type SimilarityOptions } from "./text-similarity/matching-blocks.ts";
export type { SimilarTextsOptions } from "./text-similarity/similar-texts.ts";
export { wordF1 } from "./words.ts";
export type { Runner } from "./test-runner.ts";
