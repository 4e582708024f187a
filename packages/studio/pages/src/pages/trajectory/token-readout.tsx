/** All numbers of one word, and how its advantage came about. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { decimal, percent, withSign } from "../../format/numbers.ts";
import { Visible } from "../../parts/inert-text.tsx";
import type { TokenFacts, TokenPart } from "./token-values.ts";

export interface Inspected {
  readonly facts: TokenFacts;
  readonly anchor: DOMRect;
}

const GAP = 8;

export function TokenReadout({ inspected }: { readonly inspected: Inspected | undefined }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    if (inspected === undefined || box.current === null) return;
    const { width, height } = box.current.getBoundingClientRect();
    const { anchor } = inspected;
    const below = anchor.bottom + GAP;
    const top = below + height < innerHeight ? below : Math.max(GAP, anchor.top - height - GAP);
    const left = Math.max(GAP, Math.min(anchor.left, document.documentElement.clientWidth - width - GAP));
    setPlace({ left, top });
  }, [inspected]);
  return (
    <div
      id="readout"
      class="readout"
      role="tooltip"
      ref={box}
      hidden={inspected === undefined}
      style={{ left: `${place.left}px`, top: `${place.top}px` }}
    >
      {inspected !== undefined && <Facts facts={inspected.facts} />}
    </div>
  );
}

function Facts({ facts }: { readonly facts: TokenFacts }): JSX.Element {
  const { probability, sampledProbability } = facts;
  return (
    <>
      <p class="word">
        <code class="inert">
          “<Visible text={facts.text} />”
        </code>
        <span class="soft">
          token {facts.position} of step {facts.step}, id {facts.id}
        </span>
      </p>
      <dl>
        <dt>advantage</dt>
        <dd>{facts.advantage === undefined ? "not stored" : withSign(facts.advantage)}</dd>
      </dl>
      {facts.parts.length > 0 && <Parts parts={facts.parts} />}
      <dl>
        <dt>teacher shift</dt>
        <dd>
          {facts.shift === undefined ? "–" : `${withSign(facts.shift)} nats`}
          {facts.teacher !== null && <span class="soft"> with the {facts.teacher} skill</span>}
        </dd>
        {facts.divergence !== undefined && (
          <>
            <dt>divergence</dt>
            <dd>{decimal(facts.divergence)} nats from the teacher</dd>
          </>
        )}
        <dt>probability</dt>
        <dd>
          {percent(probability, 1)}
          {sampledProbability !== undefined && sampledProbability !== probability && (
            <span class="soft"> drawn with {percent(sampledProbability, 1)}</span>
          )}
        </dd>
        <dt>entropy</dt>
        <dd>{facts.entropy === undefined ? "–" : `${decimal(facts.entropy)} nats`}</dd>
      </dl>
    </>
  );
}

/** Each part as a bar to the side of its sign; together they are the advantage. */
function Parts({ parts }: { readonly parts: readonly TokenPart[] }): JSX.Element {
  const largest = Math.max(1e-9, ...parts.map(({ adds }) => Math.abs(adds)));
  return (
    <table class="parts">
      <caption class="visually-hidden">How the advantage was composed</caption>
      <tbody>
        {parts.map(({ name, weight, value, adds }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <span class="bar" aria-hidden="true">
                <span class={adds < 0 ? "less" : "more"} style={{ width: `${(Math.abs(adds) / largest) * 50}%` }} />
              </span>
            </td>
            <td class="number">{withSign(adds)}</td>
            <td class="number soft">
              {decimal(weight, 2)} × {withSign(value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
