/** The steps a skill rests on, and what has happened to it. */
import type { JSX } from "preact";
import type { SkillDetail } from "../../../../src/serve/api.ts";
import { moment } from "../../format/numbers.ts";
import { Visible } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export function Evidence({
  skill,
  run,
}: {
  readonly skill: SkillDetail;
  readonly run: string | undefined;
}): JSX.Element {
  return (
    <>
      <h3>Evidence</h3>
      {skill.evidenceAt.length > 0 && (
        <p class="soft small">
          Where it was written, and what the agent did there; the skill may say to do something else.
        </p>
      )}
      {skill.evidenceAt.length === 0 && <p class="soft">None is recorded.</p>}
      <ul class="evidence-list">
        {uniqueEvidence(skill.evidenceAt).map((one) => {
          const home = one.run ?? run;
          return (
            <li key={evidenceKey(one)}>
              <code class="soft">{visibleLine(one.trajectory, 60)}</code>
              <ul class="evidence">
                {one.steps.map(({ step, action }) => (
                  <li key={step}>
                    {home === undefined ? (
                      `step ${step}`
                    ) : (
                      <a href={writePlace(["runs", home, "trajectory", one.trajectory], { step: String(step) })}>
                        step {step}
                      </a>
                    )}{" "}
                    {action !== null && <span class="inert">did “{visibleLine(action, 120)}”</span>}
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
      </ul>
    </>
  );
}

type EvidencePlace = SkillDetail["evidenceAt"][number];

function evidenceKey({ run, trajectory, steps }: EvidencePlace): string {
  return JSON.stringify([run, trajectory, steps.map(({ step }) => step)]);
}

/** The same advice may have been written several times from the same steps. */
function uniqueEvidence(places: readonly EvidencePlace[]): EvidencePlace[] {
  return [...new Map(places.map((place) => [evidenceKey(place), place])).values()];
}

export function History({ skill }: { readonly skill: SkillDetail }): JSX.Element {
  return (
    <>
      <h3>History</h3>
      {skill.history.length === 0 && <p class="soft">Nothing has been decided about it yet.</p>}
      <ol class="history">
        {skill.history.map((one, at) => (
          <li key={at}>
            <span class="soft">{moment(one.time)}</span>{" "}
            <Visible
              text={`${one.who}: ${one.what}${one.from === null && one.to === null ? "" : ` (${one.from ?? "–"} → ${one.to ?? "–"})`}`}
            />
            {one.note !== "" && (
              <p class="soft">
                <Visible text={one.note} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
