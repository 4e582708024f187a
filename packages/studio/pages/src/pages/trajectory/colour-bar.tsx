/** What the words are coloured by, and what the colours mean. */
import type { JSX } from "preact";
import { isSigned, type ColourScale, type Measure } from "../../colour/token-colour.ts";
import { decimal } from "../../format/numbers.ts";
import { Choice } from "../../parts/figures.tsx";

export const MEASURES: readonly { readonly value: Measure; readonly label: string; readonly title: string }[] = [
  { value: "advantage", label: "advantage", title: "What the word was credited with" },
  {
    value: "teacher",
    label: "teacher shift",
    title: "What the teacher, with a skill, thinks of the word beyond what the policy thought",
  },
  {
    value: "divergence",
    label: "divergence",
    title: "How far the policy was from the teacher at this word, where training learned from that",
  },
  { value: "entropy", label: "entropy", title: "How unsure the model is at this word" },
  { value: "probability", label: "probability", title: "How likely the word was" },
];

const ENDS: Readonly<Record<Measure, readonly [string, string]>> = {
  advantage: ["less of this", "more of this"],
  teacher: ["teacher against", "teacher for"],
  divergence: ["agrees with the teacher", "far from it"],
  entropy: ["sure", "unsure"],
  probability: ["likely", "unlikely"],
};

export interface ColourBarProps {
  readonly scale: ColourScale;
  readonly choose: (measure: Measure) => void;
}

export function ColourBar({ scale, choose }: ColourBarProps): JSX.Element {
  const { measure, full } = scale;
  const [low, high] = ENDS[measure];
  const end = measure === "probability" ? "0" : decimal(full, 2);
  return (
    <div class="colour-bar">
      <Choice legend="Colour by" name="colour" value={measure} options={MEASURES} choose={choose} />
      <span class="scale">
        <span>
          {low} {isSigned(measure) ? `≤ −${end}` : measure === "probability" ? "1" : "0"}
        </span>
        <span class={`ramp ${isSigned(measure) ? "signed" : ""}`} aria-hidden="true" />
        <span>
          {isSigned(measure) ? `≥ +${end}` : measure === "probability" ? end : `≥ ${end}`} {high}
        </span>
      </span>
    </div>
  );
}
