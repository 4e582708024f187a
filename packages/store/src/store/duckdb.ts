/** DuckDB. Loaded when used: half of the commands never query, and its native part takes a quarter of a second. */
import { join } from "node:path";
import type * as DuckDB from "@duckdb/node-api";
import { errorCode } from "limbeck-base/base/errors";
import { loadNativePart, machinePlatform, type NativePart } from "limbeck-base/base/native-part";
import { readManifest } from "limbeck-base/base/own-place";

export function loadDuckDB(): Promise<typeof DuckDB> {
  return loadNativePart(() => import("@duckdb/node-api"), duckdbPart);
}

/** Whether it can be loaded here; a first installation has none. */
export async function hasDuckDB(): Promise<boolean> {
  return await loadDuckDB().then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) !== "native-part-missing") throw error;
      return false;
    },
  );
}

const BINDINGS = "@duckdb/node-bindings";

function duckdbPart(): NativePart {
  const platform = machinePlatform();
  return {
    name: "DuckDB",
    affects: "training, SQL of your own, conditions in SQL, compaction, and the Parquet format",
    platform,
    packages: ["@duckdb/node-api", BINDINGS, `${BINDINGS}-${platform}`],
    file: "duckdb.node",
    platforms: (folder) =>
      Object.keys(readManifest(join(folder, "package.json"))?.optionalDependencies ?? {})
        .filter((name) => name.startsWith(`${BINDINGS}-`))
        .map((name) => name.slice(BINDINGS.length + 1))
        .sort(),
  };
}
