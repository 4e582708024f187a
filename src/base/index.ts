/** Base: errors, seeded randomness, statistics, concurrency, look-ups and logging. No domain words enter here. */
export { mapLimit, streamLimit, type ConcurrencyOptions } from "./concurrency.ts";
export { EngineError, errorCode, errorData, isAbort, throwIfAborted, type ErrorData } from "./errors.ts";
export { createLogger, fileLog, type LogEntry, type Logger, type LogLevel, type LogOptions } from "./log.ts";
export {
  allowedValues,
  parseOption,
  resolveOptions,
  type OptionSpec,
  type OptionTable,
  type OptionValue,
  type OptionValues,
} from "./options.ts";
export { lookUp, nearest, unknownName } from "./registry.ts";
export { createRng, pick, restoreRng, shuffle, type Rng, type RngState } from "./rng.ts";
export {
  bootstrap,
  deviation,
  mean,
  median,
  normalQuantile,
  pairedBootstrap,
  quantile,
  sampleDeviation,
  sum,
  wilson,
  type BootstrapOptions,
  type Interval,
} from "./stats.ts";
