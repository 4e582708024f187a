/** Tags of a run; each leads to all runs that have it. */
import type { JSX } from "preact";
import { writePlace } from "../route/place.ts";
import { visibleLine } from "../text/visible-text.ts";

export function Tags({ tags }: { readonly tags: readonly string[] }): JSX.Element | null {
  if (tags.length === 0) return null;
  return (
    <span class="tags">
      {tags.map((tag) => (
        <a key={tag} class="badge tag" href={writePlace(["runs"], { tag })}>
          {visibleLine(tag, 40)}
        </a>
      ))}
    </span>
  );
}
