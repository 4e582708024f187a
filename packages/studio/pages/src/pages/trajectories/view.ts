/** A view of the table of trajectories as the address keeps it: which rows, in which order, from where. */
import type { Query as ApiQuery } from "../../../../src/serve/api.ts";
import { setting, settings, wholeSetting, type Place, type Query } from "../../route/place.ts";

export type Filters = ApiQuery<"trajectories">;

const OUTCOMES = ["success", "failure", "unknown"] as const;
const ENDINGS = ["terminated", "truncated", "failed"] as const;
const SORTS = ["stored", "reward", "steps", "tokens", "update"] as const;
const TEXTS = ["env", "group", "task", "phase", "search", "text"] as const;
const WHOLES = ["minSteps", "maxSteps", "update", "offset"] as const;
export const LIMIT = 100;

/** What an address does not know is left out, so that an old or mistyped address still shows something. */
export function readView(place: Place): Filters {
  const filters: Record<string, unknown> = {
    run: some(settings(place, "run")),
    family: some(settings(place, "family")),
    outcome: oneOf(OUTCOMES, setting(place, "outcome")),
    ending: oneOf(ENDINGS, setting(place, "ending")),
    sort: oneOf(SORTS, setting(place, "sort")),
    order: setting(place, "order") === "up" ? "up" : undefined,
    limit: LIMIT,
  };
  for (const name of TEXTS) filters[name] = setting(place, name)?.slice(0, 500);
  for (const name of WHOLES) filters[name] = wholeSetting(place, name);
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/** Settings of the address for a change of filters; a changed view begins at its first row. */
export function viewChange(change: Query): Query {
  return { offset: undefined, ...change };
}

export function isFiltered(filters: Filters): boolean {
  const { limit: _limit, sort: _sort, order: _order, offset: _offset, ...rest } = filters;
  return Object.keys(rest).length > 0;
}

function some(values: readonly string[]): string[] | undefined {
  return values.length === 0 ? undefined : [...values];
}

function oneOf<Value extends string>(known: readonly Value[], value: string | undefined): Value | undefined {
  return known.find((one) => one === value);
}
