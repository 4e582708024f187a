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
              <ActionNumber place={place} action={action} />
              <span class="clip">{visibleLine(action, 120)}</span>
              {chances.has(action) && <span class="number soft">{percent(chances.get(action), 1)}</span>}
            </button>
          </li>
        ))}
      </ol>
      <Expert game={game} place={place} busy={busy} act={act} />
      <OwnWords busy={busy} act={(text) => act(actionOf(place, text))} />
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
        placeholder={"a number of the list, or your own words"}
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
function ActionNumber({ place, action }: { readonly place: PlayPlace; readonly action: string }): JSX.Element {
  const at = place.admissible?.indexOf(action) ?? -1;
  if (at < 0) return <span class="key" />;
  return <span class="key">{at < 9 ? <kbd>{at + 1}</kbd> : <span class="soft">{at + 1}</span>}</span>;
}

/** A number stands for the action that has it, unless it is an action itself. */
function actionOf({ admissible }: PlayPlace, text: string): string {
  const number = /^\s*(\d{1,4})\s*$/.exec(text)?.[1];
  if (number === undefined || admissible === null || admissible.includes(text)) return text;
  return admissible[Number(number) - 1] ?? text;
}

/** What the world's own expert would do, on request: who wants to think first is not told. */
function Expert({ game, place, busy, act }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState(false);
  const hint = useAnswer("hint", asked ? { query: { game: game.id, place: place.id } } : undefined);
  if (!asked) {
    return (
      <p>
        <button class="button small" type="button" onClick={() => setAsked(true)}>
          What would the expert do?
        </button>
      </p>
    );
  }
  const { expert, action } = hint.value ?? { expert: null, action: null };
  return (
    <p class="row small" role="status">
      {hint.loading && <span class="soft">asking the expert …</span>}
      {hint.failure !== undefined && <Visible text={hint.failure.message} />}
      {hint.value !== undefined && expert === null && <span class="soft">This world has no expert.</span>}
      {expert !== null && action === null && (
        <span class="soft">The {visibleLine(expert, 40)} knows nothing to do.</span>
      )}
      {expert !== null && action !== null && (
        <>
          <span>The {visibleLine(expert, 40)} would:</span>
          <button class="button small" type="button" disabled={busy} onClick={() => act(action)}>
            {visibleLine(action, 160)}
          </button>
        </>
      )}
    </p>
  );
}

function chancesOf(advice: Advice | undefined): ReadonlyMap<string, number> {
  return new Map(advice?.actions.map(({ action, probability }) => [action, probability]));
}
