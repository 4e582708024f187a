/** How an error names a row. */
import { EngineError } from "../base/index.ts";
import type { CreditRow } from "./row.ts";

export function rowName(row: Pick<CreditRow, "trajectory" | "step">, index: number): string {
  return `Row ${index} (trajectory ${JSON.stringify(row.trajectory)}, step ${row.step})`;
}

export function rowFault(
  row: Pick<CreditRow, "trajectory" | "step">,
  index: number,
  field: string,
  fault: string,
): EngineError {
  return new EngineError("bad-input", `${rowName(row, index)}, field "${field}": ${fault}`, {
    details: { row: index, field, trajectory: row.trajectory, step: row.step },
  });
}
