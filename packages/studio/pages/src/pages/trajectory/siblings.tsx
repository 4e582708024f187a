/** The other episodes of the group: how far they went along, and where they parted. */
import type { JSX } from "preact";
import type { Sibling } from "../../../../src/serve/api.ts";
import { decimal, plural } from "../../format/numbers.ts";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { visibleLine } from "../../text/visible-text.ts";

export interface SiblingsProps {
  readonly siblings: readonly Sibling[];
  readonly chosen: string | undefined;
  readonly choose: (id: string | undefined) => void;
}

export function Siblings({ siblings, chosen, choose }: SiblingsProps): JSX.Element {
  if (siblings.length === 0) return <p class="soft">No other episode belongs to its group.</p>;
  return (
    <ul class="siblings">
      {siblings.map((one) => (
        <li key={one.id}>
          <button
            type="button"
            class="sibling"
            aria-pressed={one.id === chosen}
            onClick={() => choose(one.id === chosen ? undefined : one.id)}
          >
            <span class="row">
              <OutcomeBadge outcome={one.outcome} />
              {one.relation !== "sibling" && <span class="badge">{one.relation}</span>}
              <span class="soft small">
                {decimal(one.reward, 2)} · {plural(one.steps, "step")}
              </span>
            </span>
            <span class="small">
              {one.diverged === null
                ? `the same for ${plural(one.shared, "step")}`
                : `parted at step ${one.diverged.step}: ${visibleLine(one.diverged.theirs, 60)}`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
