/**
 * The physical tables: their columns, in order, and the version of each. `docs/lookup/store.md` explains them to users.
 * A change of columns raises the version and adds a step to `migrations.ts`.
 */

export type CellType = "text" | "int32" | "int64" | "double" | "bool" | "int32[]" | "uint8[]" | "float32[]";

export type Cell = string | number | boolean | Int32Array | Uint8Array | Float32Array | null;

export interface Column {
  readonly name: string;
  readonly type: CellType;
}

/** One row of a table, by column name; a column that is not there is NULL. */
export type Row = Readonly<Record<string, Cell>>;

export type TableName = (typeof TABLE_NAMES)[number];

export const TABLE_NAMES = [
  "trajectories",
  "steps",
  "rewards",
  "later_rewards",
  "skills",
  "metrics",
  "events",
] as const;

export interface Table {
  readonly version: number;
  readonly columns: readonly Column[];
}

const text = (...names: string[]): Column[] => names.map((name) => ({ name, type: "text" }));
const int32 = (...names: string[]): Column[] => names.map((name) => ({ name, type: "int32" }));
const int64 = (...names: string[]): Column[] => names.map((name) => ({ name, type: "int64" }));
const double = (...names: string[]): Column[] => names.map((name) => ({ name, type: "double" }));
const bool = (...names: string[]): Column[] => names.map((name) => ({ name, type: "bool" }));

const usage = [
  ...int64("prompt_tokens", "completion_tokens"),
  ...double("cost_usd"),
  ...text("started_at"),
  ...double("duration_ms"),
  ...text("usage", "timing"),
];

const rewards = [
  ...text("run", "trajectory", "name", "source"),
  ...double("value"),
  ...text("unscored"),
  ...int64("step", "token_start", "token_end"),
  ...text("comment"),
];

export const TABLES: Readonly<Record<TableName, Table>> = {
  trajectories: {
    version: 1,
    columns: [
      ...text("run", "id", "task_id", "env"),
      ...int64("seed"),
      ...text("goal", "split", "task_data", "group_id", "parent"),
      ...int64("parent_step", "parent_token"),
      ...int32("step_count", "reward_count", "stream_count"),
      ...int64("token_count"),
      ...text("ending"),
      ...double("reward"),
      ...text("unscored"),
      ...bool("success"),
      ...text("policy"),
      ...int32("policy_version"),
      ...text("model"),
      ...usage,
      ...text("closing", "tools", "failure", "info", "loose"),
    ],
  },
  steps: {
    version: 1,
    columns: [
      ...text("run", "trajectory"),
      ...int32("step"),
      ...text("observation", "state_key", "prompt", "base_prompt", "action"),
      ...bool("valid"),
      ...double("reward"),
      ...text("unscored"),
      ...int32("stream", "span_start", "span_end", "response_start"),
      { name: "token_ids", type: "int32[]" },
      { name: "token_mask", type: "uint8[]" },
      { name: "token_logprobs", type: "float32[]" },
      { name: "token_sampled_logprobs", type: "float32[]" },
      { name: "token_versions", type: "int32[]" },
      { name: "token_temperatures", type: "float32[]" },
      { name: "token_weights", type: "float32[]" },
      { name: "allowed_counts", type: "int32[]" },
      { name: "allowed_ids", type: "int32[]" },
      ...text("messages", "reply"),
      ...usage,
      ...text("info"),
    ],
  },
  rewards: { version: 1, columns: rewards },
  later_rewards: { version: 1, columns: rewards },
  skills: {
    version: 1,
    columns: [...text("run", "id", "level", "text", "trajectory"), ...int64("step"), ...text("data", "time")],
  },
  metrics: {
    version: 1,
    columns: [...text("run"), ...int64("step"), ...text("name"), ...double("value"), ...text("time")],
  },
  events: { version: 1, columns: text("run", "kind", "data", "time") },
};

export function isList(type: CellType): boolean {
  return type.endsWith("[]");
}

export const SQL_TYPES: Readonly<Record<CellType, string>> = {
  text: "VARCHAR",
  int32: "INTEGER",
  int64: "BIGINT",
  double: "DOUBLE",
  bool: "BOOLEAN",
  "int32[]": "INTEGER[]",
  "uint8[]": "UTINYINT[]",
  "float32[]": "FLOAT[]",
};
