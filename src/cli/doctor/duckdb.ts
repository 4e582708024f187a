/** Whether DuckDB's native part loads on this platform and answers. */
import { formatDuration } from "../look/units.ts";
import type { Check } from "./check.ts";

export const duckdb: Check = {
  name: "DuckDB",
  required: true,
  run: async ({ io }) => {
    const started = io.now();
    try {
      const { DuckDBInstance, version } = await import("@duckdb/node-api");
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      const rows = (await connection.runAndReadAll("select 6 * 7")).getRows();
      connection.closeSync();
      instance.closeSync();
      const value = `${version()}, loaded and answered in ${formatDuration(io.now() - started)}`;
      return Number(rows[0]?.[0]) === 42
        ? { state: "ok", value }
        : { state: "broken", value: "answered 6 * 7 wrongly", hint: "Install again: npm ci." };
    } catch (error) {
      return {
        state: "broken",
        value: `does not load: ${error instanceof Error ? error.message : String(error)}`,
        hint: `Install again on this machine (npm ci). Its native part exists for Linux, macOS and Windows on x64 and arm64; this is ${process.platform} ${process.arch}.`,
      };
    }
  },
};
