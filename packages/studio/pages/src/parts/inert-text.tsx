/** Text of a run. It is only ever text: no markup, nothing hidden, and not more of it at once than a page can carry. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LongText } from "../../../src/serve/api.ts";
import { count } from "../format/numbers.ts";
import { clipText, visibleParts } from "../text/visible-text.ts";

const FIRST = 2_000;
/** Each "show more" shows so many times as much. */
const GROWTH = 8;

export function Visible({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {visibleParts(text).map((part, at) =>
        part.hidden === undefined ? (
          part.text
        ) : (
          <span class="escape" key={at} title={part.hidden}>
            {part.text}
          </span>
        ),
      )}
    </>
  );
}

export interface InertTextProps {
  readonly text: LongText | string;
  /** Fetches the whole text when the server cut it. */
  readonly whole?: () => Promise<string>;
  readonly first?: number;
  readonly class?: string;
}

export function InertText({ text, whole, first = FIRST, class: name = "" }: InertTextProps): JSX.Element {
  const given = typeof text === "string" ? text : text.text;
  const length = typeof text === "string" ? text.length : text.length;
  const [most, setMost] = useState(first);
  const [fetched, setFetched] = useState<string>();
  const [note, setNote] = useState("");
  const held = fetched ?? given;
  const { head } = clipText(held, most);
  const left = Math.max(length, held.length) - head.length;

  const more = async (): Promise<void> => {
    const next = most * GROWTH;
    if (next > held.length && held.length < length && whole !== undefined) {
      setNote("loading …");
      try {
        setFetched(await whole());
        setNote("");
      } catch (error) {
        return setNote(error instanceof Error ? error.message : String(error));
      }
    }
    setMost(next);
  };

  return (
    <span class={`inert ${name}`} dir="auto">
      <Visible text={head} />
      {left > 0 && (
        <span class="more">
          … <span class="soft">{count(left)} more characters </span>
          {(whole !== undefined || head.length < held.length) && (
            <button class="button small" type="button" onClick={() => void more()}>
              show more
            </button>
          )}
          {note !== "" && <span class="soft"> {note}</span>}
        </span>
      )}
    </span>
  );
}
