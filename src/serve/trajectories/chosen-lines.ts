/** The lines that a search chose among all that it walked: what it would act on. */
import type { Store } from "../../store/store.ts";
import type { Outcome } from "../api/base.ts";
import { outcomeOr } from "../runs/cells.ts";

export interface ChosenLines {
  /** Their trajectories. */
  readonly ids: ReadonlySet<string>;
  /** What became of the chosen line of a group. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

const NONE: ChosenLines = { ids: new Set(), outcomes: new Map() };

export async function chosenLines(store: Store, run: string): Promise<ChosenLines> {
  const [summary] = await store.runs({ only: run });
  if (summary?.config["search"] === undefined) return NONE;
  const { rows } = await store.query(
    `select id, group_id, success from trajectories where json_extract_string(info, '$.search.chosen') = 'true'`,
    { run },
  );
  return {
    ids: new Set(rows.map(([id]) => String(id))),
    outcomes: new Map(rows.map(([, group, success]) => [String(group), outcomeOr(success)])),
  };
}
