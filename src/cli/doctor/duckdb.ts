/** Whether DuckDB's native part loads on this platform and answers. */
import { formatDuration } from "../look/units.ts";
import type { Check } from "./check.ts";

export const duckdb: Check = {
  name: "DuckDB",
  required: true,
  run: async ({ io }) => {
    const started = io.now();
    const { loadDuckDB } = await import("../../store/duckdb.ts");
    const { DuckDBInstance, version } = await loadDuckDB();
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const rows = (await connection.runAndReadAll("select 6 * 7")).getRows();
    connection.closeSync();
    instance.closeSync();
    const value = `${version()}, loaded and answered in ${formatDuration(io.now() - started)}`;
    if (Number(rows[0]?.[0]) === 42) return { state: "ok", value };
    return { state: "broken", value: "answered 6 * 7 wrongly", hint: "Install again: npm ci." };
  },
};
