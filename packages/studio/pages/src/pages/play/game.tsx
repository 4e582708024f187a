/** A game: where the player is, what can be done, what the policy thinks of it, and every place visited so far. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PlayGame, PlayPlace } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { useAnswer, useClient } from "../../client/use-answer.ts";
import { decimal, plural, withSign } from "../../format/numbers.ts";
import { useShortcuts } from "../../keys/shortcuts.tsx";
import { Answered } from "../../parts/answered.tsx";
import { InertText } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { wholeSetting, writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { Actions } from "./actions.tsx";
import { PlaceTree, pathTo } from "./place-tree.tsx";

export function Game({ id }: { readonly id: string }): JSX.Element {
  const asked = useAnswer("game", { query: { id } });
  return (
    <>
      {asked.value === undefined && <PageHead title="Play" crumbs={[{ label: "Play", href: writePlace(["play"]) }]} />}
      <Answered asked={asked} what="the game">
        {(game) => <Table game={game} />}
      </Answered>
    </>
  );
}

function Table({ game }: { readonly game: PlayGame }): JSX.Element {
  const { places, place, failure, busy, goTo, act, back } = useGame(game);
  if (place === undefined) return <p class="empty">The game has no place to stand.</p>;
  return (
    <>
      <PageHead
        title={game.env}
        crumbs={[{ label: "Play", href: writePlace(["play"]) }]}
        lead={<InertText text={game.goal} first={400} />}
      >
        <button class="button" type="button" disabled={place.parent === null} onClick={back}>
          Undo <kbd>u</kbd>
        </button>
        <a class="button" href={writePlace(["play"])}>
          New game
        </a>
      </PageHead>
      <div class="play">
        <div class="section">
          <Way places={pathTo(places, place.id)} />
          <Ending place={place} />
          {failure !== undefined && <Problem failure={failure} />}
          {place.ending === null && (
            <Actions key={place.id} game={game} place={place} busy={busy} act={(action) => void act(action)} />
          )}
        </div>
        <aside class="card section" aria-label="Places of this game">
          <h2>Places</h2>
          <p class="soft small">Choose an earlier place and act again: the game forks.</p>
          <PlaceTree places={places} current={place.id} choose={goTo} />
        </aside>
      </div>
    </>
  );
}

/** The places of a game, the one where the player is, and the ways to move. */
function useGame(game: PlayGame) {
  const client = useClient();
  const address = usePlace();
  const [places, setPlaces] = useState<readonly PlayPlace[]>(game.places);
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  useEffect(() => setPlaces(game.places), [game]);
  const at = wholeSetting(address, "at") ?? game.current;
  const place = places.find(({ id }) => id === at) ?? places[0];
  const goTo = (id: number): void => refine(address, { at: String(id) });
  const act = async (action: string): Promise<void> => {
    if (place === undefined || busy) return;
    setBusy(true);
    try {
      const { place: next } = await client.call("act", { body: { game: game.id, place: place.id, action } });
      setPlaces((held) => [...held.filter(({ id }) => id !== next.id), next]);
      setFailure(undefined);
      goTo(next.id);
    } catch (error) {
      setFailure(toFailure(error));
    }
    setBusy(false);
  };
  const back = (): void => {
    if (place?.parent !== null && place?.parent !== undefined) goTo(place.parent);
  };
  const choose = (number: number): void => {
    const action = place?.admissible?.[number];
    if (action !== undefined) void act(action);
  };
  useShortcuts("Play", [
    { keys: "u", meaning: "undo a step; acting there again is a fork", run: back },
    ...Array.from({ length: 9 }, (_, number) => ({
      keys: String(number + 1),
      label: number === 0 ? "1…9" : "",
      meaning: "the action with this number",
      run: () => choose(number),
    })),
  ]);
  return { places, place, failure, busy, goTo, act, back };
}

/** Everything that was seen and done on the way here, in order; the newest is the one to act on. */
function Way({ places }: { readonly places: readonly PlayPlace[] }): JSX.Element {
  const current = places.at(-1);
  return (
    <div class="way">
      {places.length > 1 && (
        <ol class="past" aria-label="What was seen and done before" ref={showLast} tabIndex={0}>
          {places.slice(0, -1).map((place, at) => (
            <li key={place.id}>
              <div class="soft">
                <InertText text={place.observation} first={600} />
              </div>
              <p>
                <span class="soft">{place.depth + 1}.</span>{" "}
                <b class="inert">{visibleLine(places[at + 1]?.action ?? "", 200)}</b>
                {places[at + 1]?.valid === false && <span class="badge warn">refused</span>}
                {!!places[at + 1]?.reward && <span class="badge">reward {withSign(places[at + 1]?.reward, 2)}</span>}
              </p>
            </li>
          ))}
        </ol>
      )}
      {current !== undefined && (
        <div class="seen card" role="status">
          <InertText text={current.observation} />
          {current.reward !== null && current.reward !== 0 && <p class="badge">reward {withSign(current.reward, 2)}</p>}
        </div>
      )}
    </div>
  );
}

/** The past is as high as the page allows; its end is what one wants to see. */
function showLast(element: HTMLElement | null): void {
  if (element !== null) element.scrollTop = element.scrollHeight;
}

function Ending({ place }: { readonly place: PlayPlace }): JSX.Element | null {
  if (place.ending === null) return null;
  const kind = place.success === true ? "good" : place.success === false ? "bad" : "";
  const word = place.success === true ? "solved" : place.success === false ? "not solved" : "no verdict";
  return (
    <p class="row" role="status">
      <span class={`badge ${kind}`}>{word}</span> ended ({place.ending}) after {plural(place.depth, "step")}, return{" "}
      {decimal(place.total, 2)}
    </p>
  );
}
