/** The studio on a first installation, which has no DuckDB: the same tests, with the same figures. */
import { vi } from "vitest";
import { EngineError } from "limbeck-base/base/errors";

vi.mock("limbeck-store/store/duckdb", () => ({
  hasDuckDB: () => false,
  loadDuckDB: () => {
    throw new EngineError("native-part-missing", "DuckDB is not installed here.");
  },
}));

for (const name of ["api", "trajectory", "live", "decisions", "true-figures", "judge"]) {
  await import(`./${name}.system.test.ts`);
}
