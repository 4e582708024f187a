/** What to do in a store that has nothing yet. */
import type { JSX } from "preact";

const STEPS = [
  ["limbeck demo", "shows a whole training in some minutes"],
  ["limbeck import FILE", "brings in recorded runs of your own agent; --from claude-code reads its sessions"],
  ["limbeck train", "trains the bundled model on a world"],
] as const;

export function FirstSteps({ what }: { readonly what: string }): JSX.Element {
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
    </div>
  );
}
