/** What the episodes of the group did from one and the same state, side by side. */
import type { JSX } from "preact";
import { useAnswer } from "../../client/use-answer.ts";
import { decimal, withSign } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { InertText } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export interface StateDecisionsProps {
  readonly run: string;
  readonly id: string;
  readonly step: number;
}

export function StateDecisions({ run, id, step }: StateDecisionsProps): JSX.Element {
  const asked = useAnswer("state", { of: run, query: { id, step } });
  return (
    <div class="decisions">
      <Answered asked={asked} what="what was done here">
        {({ decisions }) => (
          <ul>
            {decisions.map((one) => (
              <li key={`${one.trajectory} ${one.step}`} class={one.trajectory === id ? "own" : ""}>
                <span class="row">
                  <OutcomeBadge outcome={one.outcome} />
                  {one.advantage !== null && <span class="badge">advantage {withSign(one.advantage, 2)}</span>}
                  <span class="soft small">reward {decimal(one.reward, 2)}</span>
                </span>
                <b class="inert">{visibleLine(one.action, 160)}</b>
                {!one.valid && <span class="badge bad">refused</span>}
                {one.next !== null && (
                  <span class="soft">
                    <InertText text={one.next} first={180} />
                  </span>
                )}
                {one.trajectory === id ? (
                  <span class="soft small">this episode</span>
                ) : (
                  <a
                    class="small"
                    href={writePlace(["runs", run, "trajectory", one.trajectory], { step: String(one.step) })}
                  >
                    go there
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </div>
  );
}
