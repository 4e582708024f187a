/** Which runs are listed, by what people said of them. Shown once somebody has said something. */
import type { JSX } from "preact";
import type { Answer } from "../../../../src/serve/api.ts";
import { count } from "../../format/numbers.ts";
import { Pick } from "../../parts/pick.tsx";
import { setting } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";

export function RunFilters({ asked }: { readonly asked: Answer<"runs"> | undefined }): JSX.Element | null {
  const place = usePlace();
  const [tag, archived] = [setting(place, "tag") ?? "", setting(place, "archived") === "only"];
  if (asked === undefined || (asked.tags.length === 0 && asked.archived === 0 && tag === "" && !archived)) return null;
  return (
    <search class="filters" aria-label="Labels">
      <Pick
        label="Tag"
        value={tag}
        any="any"
        options={asked.tags.map((one) => ({ value: one.tag, count: one.runs }))}
        change={(value) => refine(place, { tag: value, from: undefined })}
      />
      <label class="tick">
        <input
          type="checkbox"
          checked={archived}
          onChange={() => refine(place, { archived: archived ? undefined : "only", from: undefined })}
        />{" "}
        archived runs ({count(asked.archived)})
      </label>
    </search>
  );
}
