/** Store: keeps runs as immutable Parquet segments behind a commit log, and answers SQL over them. */
export { copyRun, type CopyReport, type CopyRunOptions } from "./copy-run.ts";
export { openStore, type StoreOptions } from "./open-store.ts";
export type {
  CompactOptions,
  CompactReport,
  CreateRunOptions,
  QueryOptions,
  QueryResult,
  RunSummary,
  RunWriter,
  SkillRecord,
  Store,
  TrajectoryQuery,
} from "./store.ts";
