/** The words of a response, coloured by one of their numbers. Arrow keys walk from word to word. */
import { createContext, type JSX, type TargetedKeyboardEvent } from "preact";
import { useContext } from "preact/hooks";
import type { StepTokens } from "../../../../src/serve/api.ts";
import { shadeCss, shadeOf, type ColourScale } from "../../colour/token-colour.ts";
import { Visible } from "../../parts/inert-text.tsx";
import { factsOf, tokenText, valuesOf, type TokenFacts } from "./token-values.ts";

/** Shows the numbers of a word beside it. */
export type Inspect = (facts: TokenFacts | undefined, anchor?: DOMRect) => void;
export const InspectContext = createContext<Inspect>(() => undefined);

export interface TokenLineProps {
  readonly tokens: StepTokens;
  readonly step: number;
  readonly scale: ColourScale;
  readonly entropy: readonly (number | null)[] | undefined;
}

/** An answer of more words than this is cut; no page needs them at once. */
const MOST = 3_000;

export function TokenLine({ tokens, step, scale, entropy }: TokenLineProps): JSX.Element {
  const inspect = useContext(InspectContext);
  const values = valuesOf(tokens, scale.measure, entropy);
  const count = Math.min(tokens.ids.length, MOST);
  const show = (target: EventTarget | null): void => {
    const word = target instanceof Element ? target.closest<HTMLElement>("[data-token]") : null;
    if (word === null) return inspect(undefined);
    const position = Number(word.dataset["token"]);
    inspect(factsOf(tokens, step, position, entropy), word.getBoundingClientRect());
  };
  const words: JSX.Element[] = [];
  for (let at = 0; at < count; at += 1) {
    const shade = shadeOf(scale, values?.[at]);
    const text = tokenText(tokens, at);
    words.push(
      <span
        key={at}
        class="token"
        role="button"
        tabIndex={at === 0 ? 0 : -1}
        data-token={at}
        aria-describedby="readout"
        {...(text.trim() === "" ? { "aria-label": "white space" } : {})}
        style={{ backgroundColor: shadeCss(shade) }}
      >
        <Visible text={text} />
      </span>,
    );
  }
  return (
    <span
      class="tokens inert"
      role="group"
      aria-label={`Words of step ${step}; arrow keys walk through them`}
      onPointerOver={(event) => show(event.target)}
      onPointerLeave={() => inspect(undefined)}
      onFocusIn={(event) => show(event.target)}
      onFocusOut={() => inspect(undefined)}
      onKeyDown={walk}
    >
      {words}
      {tokens.ids.length > count && <span class="soft"> … {tokens.ids.length - count} more words</span>}
    </span>
  );
}

const MOVES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

function walk(event: TargetedKeyboardEvent<HTMLElement>): void {
  const move = MOVES[event.key];
  const words = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-token]")];
  const at = words.indexOf(document.activeElement as HTMLElement);
  if (move === undefined || at < 0) return;
  const next = words[move(at, words.length)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
