/** Which part of a long list is shown, and the way to the next. */
import type { JSX } from "preact";
import { count, plural } from "../format/numbers.ts";

export interface PagerProps {
  readonly page: { readonly offset: number; readonly limit: number; readonly total: number };
  readonly go: (offset: number) => void;
  readonly what: string;
}

export function Pager({ page: { offset, limit, total }, go, what }: PagerProps): JSX.Element | null {
  if (total <= limit && offset === 0)
    return <p class="soft">{plural(total, what, what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`)}</p>;
  return (
    <nav class="row" aria-label="Parts of the list">
      <button class="button" type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
        ‹ Before
      </button>
      <span class="soft">
        {count(offset + 1)} to {count(Math.min(total, offset + limit))} of {count(total)}
      </span>
      <button class="button" type="button" disabled={offset + limit >= total} onClick={() => go(offset + limit)}>
        Next ›
      </button>
    </nav>
  );
}
