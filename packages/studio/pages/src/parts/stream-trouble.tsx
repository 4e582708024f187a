/** What the reader should know when a page no longer hears from the server. */
import type { JSX } from "preact";
import type { Heard } from "../client/use-stream.ts";
import { Problem } from "./problem.tsx";

export function StreamTrouble({ heard }: { readonly heard: Heard }): JSX.Element | null {
  const { state, failure } = heard;
  if (state !== "broken" || failure === undefined) return null;
  if (failure.status !== 0) return <Problem failure={failure} />;
  return (
    <p class="note" role="status">
      The connection to the server is lost; the page tries again by itself. If it was stopped, run “limbeck studio” and
      open the address it prints.
    </p>
  );
}
