/** What objectives with one loss for a whole row share. */
import { EngineError } from "../base/index.ts";
import type { TrainRow } from "../policy/index.ts";

/** Weights of single tokens have no meaning there; always true otherwise. */
export function refuseTokenWeights(id: string, row: TrainRow, at: number): true {
  if (row.weights === undefined) return true;
  throw new EngineError("bad-row", `${id} has one loss for a row; leave out the weights of row ${at}.`, {
    details: { row: at, field: "weights" },
  });
}
