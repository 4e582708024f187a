/** What to do in a store that has nothing yet. */
import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { MetaContext } from "../client/use-answer.ts";
import { writePlace } from "../route/place.ts";

const STEPS = [
  ["limbeck demo", "shows a whole training in some minutes"],
  ["limbeck import FILE", "brings in recorded runs of your own agent; --from claude-code reads its sessions"],
  ["limbeck train", "trains the bundled model on a world"],
] as const;

export function FirstSteps({ what }: { readonly what: string }): JSX.Element {
  const trainable = useContext(MetaContext)?.trainable === true;
  return (
    <div class="empty">
      <p>{what} Begin with one of these in a terminal; what they write appears here by itself.</p>
      <ul class="first-steps">
        {STEPS.map(([command, meaning]) => (
          <li key={command}>
            <code>{command}</code> {meaning}
          </li>
        ))}
      </ul>
      {trainable && (
        <a class="button primary" href={writePlace(["train"])}>
          Train here
        </a>
      )}
    </div>
  );
}
