/** What can be done at a place, and how likely the policy would do it. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Advice, PlayGame, PlayPlace } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { percent } from "../../format/numbers.ts";
import { Visible } from "../../parts/inert-text.tsx";
import { visibleLine } from "../../text/visible-text.ts";

export interface ActionsProps {
  readonly game: PlayGame;
  readonly place: PlayPlace;
  readonly busy: boolean;
  readonly act: (action: string) => void;
}

type Order = "world" | "policy";

export function Actions({ game, place, busy, act }: ActionsProps): JSX.Element {
  const [order, setOrder] = useState<Order>("policy");
  const advice = useAnswer("advice", game.policy === null ? undefined : { query: { game: game.id, place: place.id } });
  const chances = useMemo(() => chancesOf(advice.value), [advice.value]);
  const listed = place.admissible ?? advice.value?.actions.map(({ action }) => action) ?? [];
  const actions =
    order === "world" || advice.value === undefined
      ? listed
      : listed.toSorted((left, right) => (chances.get(right) ?? 0) - (chances.get(left) ?? 0));
  return (
    <section class="section" aria-label="Actions">
      <div class="row">
        <h2>Actions</h2>
        {advice.value !== undefined && (
          <label class="row soft small">
            <input
              type="checkbox"
              checked={order === "policy"}
              onChange={() => setOrder(order === "policy" ? "world" : "policy")}
            />
            most likely first
          </label>
        )}
        {advice.loading && <span class="soft small">asking the policy …</span>}
        {advice.failure !== undefined && (
          <span class="soft small">
            the policy has no answer: <Visible text={advice.failure.message} />
          </span>
        )}
      </div>
      {advice.value !== undefined && (
        <p class="soft small">
          It would say “<Visible text={visibleLine(advice.value.greedy, 120)} />
          ”; {percent(advice.value.covered)} of what it might say is an action of this list.
        </p>
      )}
      <ol class="actions">
        {actions.map((action) => (
          <li key={action}>
            <button type="button" class="action" disabled={busy} onClick={() => act(action)}>
              <span class="chance" aria-hidden="true">
                <span style={{ width: `${100 * (chances.get(action) ?? 0)}%` }} />
              </span>
              <Number place={place} action={action} />
              <span class="clip">{visibleLine(action, 120)}</span>
              {chances.has(action) && <span class="number soft">{percent(chances.get(action), 1)}</span>}
            </button>
          </li>
        ))}
      </ol>
      <OwnWords busy={busy} act={act} />
    </section>
  );
}

function OwnWords({ busy, act }: Pick<ActionsProps, "busy" | "act">): JSX.Element {
  const [text, setText] = useState("");
  const send = (): void => {
    if (text.trim() === "" || busy) return;
    act(text);
    setText("");
  };
  return (
    <div class="row">
      <input
        class="field grow"
        aria-label="Your own words"
        placeholder="or in your own words"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") send();
        }}
      />
      <button class="button" type="button" disabled={busy || text.trim() === ""} onClick={send}>
        Do it
      </button>
    </div>
  );
}

/** Its key, where it has one: keys count in the world's order, which does not change under the hand. */
function Number({ place, action }: { readonly place: PlayPlace; readonly action: string }): JSX.Element {
  const at = place.admissible?.indexOf(action) ?? -1;
  return <span class="key">{at >= 0 && at < 9 && <kbd>{at + 1}</kbd>}</span>;
}

function chancesOf(advice: Advice | undefined): ReadonlyMap<string, number> {
  return new Map(advice?.actions.map(({ action, probability }) => [action, probability]));
}
