/** One skill in full: text, evidence, lift, history, and the decision where the server allows one. */
import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { SkillDetail } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { MetaContext, useAnswer, useClient } from "../../client/use-answer.ts";
import { moment, signed } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Share } from "../../parts/figures.tsx";
import { InertText, Visible } from "../../parts/inert-text.tsx";
import { Problem } from "../../parts/problem.tsx";
import { writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { Lift, StatusOfSkill } from "./skill-table.tsx";

export interface SkillDetailsProps {
  readonly id: string;
  readonly source: "library" | "run";
  readonly run: string | undefined;
  readonly changed: () => void;
}

export function SkillDetails({ id, source, run, changed }: SkillDetailsProps): JSX.Element {
  const place = usePlace();
  const asked = useAnswer("skill", { query: { id, source, ...(run === undefined ? {} : { run }) } });
  const meta = useContext(MetaContext);
  const [after, setAfter] = useState<SkillDetail>();
  return (
    <section class="card section" aria-label="The skill">
      <div class="row spread">
        <h2>Skill</h2>
        <button class="button small quiet" type="button" onClick={() => refine(place, { id: undefined })}>
          Close
        </button>
      </div>
      <Answered asked={asked} what="the skill">
        {(value) => (
          <>
            <Facts skill={after ?? value} />
            {source === "library" && meta?.writable === true && (
              <Decision
                id={id}
                decided={(skill) => {
                  setAfter(skill);
                  changed();
                }}
              />
            )}
            {source === "library" && meta?.writable === false && (
              <p class="soft">
                To promote, demote or quarantine skills, start the server with <code>limbeck studio --write</code>.
              </p>
            )}
            <Evidence skill={value} run={run} />
            <History skill={after ?? value} />
          </>
        )}
      </Answered>
    </section>
  );
}

function Facts({ skill }: { readonly skill: SkillDetail }): JSX.Element {
  return (
    <>
      <p class="row">
        <StatusOfSkill status={skill.status} /> <span class="badge">{visibleLine(skill.level, 20)}</span>
        {skill.name !== skill.text && <code class="soft">{visibleLine(skill.name, 60)}</code>}
      </p>
      <blockquote>
        <InertText text={skill.text} />
      </blockquote>
      {skill.when !== null && (
        <p>
          <span class="soft">When:</span> <Visible text={skill.when} />
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Lift</dt>
          <dd>
            <Lift lift={skill.lift} />
          </dd>
        </div>
        {skill.shift !== null && (
          <div>
            <dt>Teacher shift</dt>
            <dd>{signed(skill.shift)} nats a word</dd>
          </div>
        )}
        {skill.used !== null && (
          <>
            <div>
              <dt>Success with it in use</dt>
              <dd>
                <Share share={skill.used.with} />
              </dd>
            </div>
            <div>
              <dt>without it</dt>
              <dd>
                <Share share={skill.used.without} />
              </dd>
            </div>
          </>
        )}
      </dl>
      {Object.keys(skill.facts).length > 0 && (
        <details>
          <summary>Everything its file says</summary>
          <pre class="inert">
            <Visible text={JSON.stringify(skill.facts, undefined, 2)} />
          </pre>
        </details>
      )}
    </>
  );
}

const DECISIONS = ["promote", "demote", "quarantine"] as const;

function Decision({
  id,
  decided,
}: {
  readonly id: string;
  readonly decided: (skill: SkillDetail) => void;
}): JSX.Element {
  const client = useClient();
  const [who, setWho] = useState("");
  const [note, setNote] = useState("");
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const decide = async (decision: (typeof DECISIONS)[number]): Promise<void> => {
    setBusy(true);
    try {
      decided(await client.call("decide", { body: { id, decision, who, note } }));
      setFailure(undefined);
      setNote("");
    } catch (error) {
      setFailure(toFailure(error));
    }
    setBusy(false);
  };
  return (
    <fieldset class="decision">
      <legend>Decide</legend>
      <div class="row">
        <label class="labelled">
          Who decides
          <input
            class="field"
            value={who}
            autocomplete="name"
            onInput={({ currentTarget }) => setWho(currentTarget.value)}
          />
        </label>
        <label class="labelled wide">
          Why
          <input class="field" value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
        </label>
      </div>
      <div class="row">
        {DECISIONS.map((decision) => (
          <button
            key={decision}
            class="button"
            type="button"
            disabled={busy || who.trim() === ""}
            onClick={() => void decide(decision)}
          >
            {decision}
          </button>
        ))}
        {who.trim() === "" && <span class="soft small">It is written down with a name and the time.</span>}
      </div>
      {failure !== undefined && <Problem failure={failure} />}
    </fieldset>
  );
}

function Evidence({ skill, run }: { readonly skill: SkillDetail; readonly run: string | undefined }): JSX.Element {
  return (
    <>
      <h3>Evidence</h3>
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
                    {action !== null && <span class="inert">{visibleLine(action, 120)}</span>}
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

function History({ skill }: { readonly skill: SkillDetail }): JSX.Element {
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
