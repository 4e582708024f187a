/** Words inside this episode: which steps have them, and the way to each. */
import type { JSX } from "preact";
import { useAnswer } from "../../client/use-answer.ts";
import { plural } from "../../format/numbers.ts";
import { SearchField } from "../../parts/search-field.tsx";
import { setting } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export interface FindInProps {
  readonly run: string;
  readonly id: string;
  /** The step that is looked at. */
  readonly step: number | undefined;
}

const LISTED = 8;

export function FindIn({ run, id, step }: FindInProps): JSX.Element {
  const place = usePlace();
  const text = setting(place, "find") ?? "";
  const asked = useAnswer("find", text === "" ? undefined : { of: run, query: { id, text } });
  const hits = text === "" ? [] : (asked.value?.hits ?? []);
  const go = (to: number): void => refine(place, { step: String(to) });
  const at = hits.findIndex((hit) => hit.step === step);
  const around = Math.max(0, Math.min(at - 2, hits.length - LISTED));
  return (
    <div class="find-in">
      <div class="row">
        <SearchField
          label="Search in this episode"
          placeholder="search in this episode"
          value={text}
          change={(find) => refine(place, { find })}
        />
        {asked.value !== undefined && text !== "" && (
          <span class="soft small" role="status">
            {asked.value.total === 0 ? "nowhere" : `in ${plural(asked.value.total, "step")}`}
          </span>
        )}
        {hits.length > 1 && (
          <>
            <button
              class="button small"
              type="button"
              onClick={() => go(hits[(at - 1 + hits.length) % hits.length]?.step ?? 0)}
            >
              previous
            </button>
            <button class="button small" type="button" onClick={() => go(hits[(at + 1) % hits.length]?.step ?? 0)}>
              next
            </button>
          </>
        )}
      </div>
      {hits.length > 0 && (
        <ul class="hits">
          {hits.slice(around, around + LISTED).map((hit) => (
            <li key={hit.step}>
              <button
                type="button"
                class="outline-row"
                {...(hit.step === step ? { "aria-current": "step" as const } : {})}
                onClick={() => go(hit.step)}
              >
                <span class="soft">{hit.step}</span>
                <span class="soft">{hit.where}</span>
                <span class="clip">{visibleLine(hit.excerpt, 160)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
