/** One skill in full: text, evidence, lift, history, and the decision where the server allows one. */
import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { SkillDetail } from "../../../../src/serve/api.ts";
import { MetaContext, useAnswer } from "../../client/use-answer.ts";
import { withSign } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Share } from "../../parts/figures.tsx";
import { InertText, Visible } from "../../parts/inert-text.tsx";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { Decision } from "./decision.tsx";
import { Evidence, History } from "./skill-evidence.tsx";
import { shiftWords } from "./shift-words.ts";
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
            <dd>
              {withSign(skill.shift)} <span class="soft">{shiftWords(skill.shift)}</span>
            </dd>
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
