/** A skill as hindsight wrote it, with what it changed and the steps it rests on. */
import type { JSX } from "preact";
import type { StepSkill } from "../../../../src/serve/api.ts";
import { plural, withSign } from "../../format/numbers.ts";
import { InertText } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export function SkillNote({ skill, run }: { readonly skill: StepSkill; readonly run: string }): JSX.Element {
  return (
    <details class="skill-note">
      <summary>
        <span class="badge warn">{visibleLine(skill.level, 20)} skill</span> {visibleLine(skill.text, 140)}
        {skill.shift !== null && (
          <span class={`shift ${skill.shift < 0 ? "less" : "more"}`} title="Mean shift of the teacher that had read it">
            {" "}
            {withSign(skill.shift)} nats
          </span>
        )}
      </summary>
      <p>
        <InertText text={skill.text} />
      </p>
      <p class="soft">
        {skill.tokens !== null && `Scored ${plural(skill.tokens, "word")}. `}
        {skill.update !== null && `Written in update ${skill.update}. `}
        <a href={writePlace(["skills"], { source: "run", run, id: skill.id })}>among the skills of this run</a>
      </p>
      {skill.evidence.length > 0 && (
        <>
          <h3>It rests on</h3>
          <ul>
            {skill.evidence.map(({ trajectory, steps }, at) => (
              <li key={at}>
                <code class="soft">{visibleLine(trajectory, 60)}</code>
                <ul class="evidence">
                  {steps.map(({ step, action }) => (
                    <li key={step}>
                      <a href={writePlace(["runs", run, "trajectory", trajectory], { step: String(step) })}>
                        step {step}
                      </a>{" "}
                      {action !== null && <span class="inert">{visibleLine(action, 120)}</span>}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
