/** Every step in one line, to find the way in a long episode. */
import type { JSX } from "preact";
import type { StepOutline } from "../../../../src/serve/api.ts";
import { shadeCss, shadeOf, type ColourScale } from "../../colour/token-colour.ts";
import { VirtualList } from "../../list/virtual-list.tsx";
import { visibleLine } from "../../text/visible-text.ts";

export interface OutlineProps {
  readonly steps: readonly StepOutline[];
  /** Of advantages, whatever the words are coloured by. */
  readonly scale: ColourScale;
  readonly held: number | undefined;
  readonly choose: (place: number) => void;
}

const ROW = 28;

export function Outline({ steps, scale, held, choose }: OutlineProps): JSX.Element {
  const row = (at: number): JSX.Element | null => {
    const step = steps[at];
    if (step === undefined) return null;
    return (
      <button
        type="button"
        class={`outline-row ${step.valid ? "" : "refused"}`}
        {...(at === held ? { "aria-current": "step" as const } : {})}
        onClick={() => choose(at)}
      >
        <span class="soft">{step.index}</span>
        <span class="swatch" style={{ background: shadeCss(shadeOf(scale, step.advantage)) }} aria-hidden="true" />
        <span class="clip">
          {!step.valid && <span title="refused">✗ </span>}
          {step.error && <span title="a tool failed before it">⚠ </span>}
          {visibleLine(step.action, 80)}
        </span>
        {step.skills > 0 && (
          <span class="badge warn" title="has a skill">
            ✦
          </span>
        )}
      </button>
    );
  };
  return (
    <VirtualList
      class="outline"
      boxed
      count={steps.length}
      estimate={ROW}
      label="All steps"
      row={row}
      target={held === undefined ? undefined : { row: held, at: held }}
    />
  );
}
