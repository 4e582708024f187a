/** The skills of a run with which the teacher changed its mind most. */
import type { JSX } from "preact";
import type { RunDetail } from "../../../../src/serve/api.ts";
import { count, plural, withSign } from "../../format/numbers.ts";
import { Visible } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { shiftWords } from "../skills/shift-words.ts";

const LEVELS: Readonly<Record<string, string>> = { episode: "for a whole episode", step: "for one decision" };

export function TellingSkills({ detail: { id, skills } }: { readonly detail: RunDetail }): JSX.Element | null {
  if (skills.written === 0) return null;
  return (
    <section class="section" aria-label="Skills">
      <div class="row">
        <h2>Skills</h2>
        <a href={writePlace(["skills"], { source: "run", run: id })}>all {count(skills.distinct)}</a>
      </div>
      <p class="soft">
        {plural(skills.written, "skill")} written from the agent's own episodes, {count(skills.distinct)} of them
        different.{" "}
        {skills.shown.length > 0 &&
          "With these the teacher changed its mind most about what the agent had said; that is its opinion, not a measured gain."}
      </p>
      <ul class="cards">
        {skills.shown.map((skill) => (
          <li class="card" key={`${skill.level} ${skill.text}`}>
            <p>
              <span class="badge">{visibleLine(LEVELS[skill.level] ?? skill.level, 40)}</span>
            </p>
            <blockquote class="inert">
              <Visible text={skill.text} />
            </blockquote>
            {skill.said !== null && (
              <p class="soft">
                The agent had said: <span class="inert">{visibleLine(skill.said, 120)}</span>
              </p>
            )}
            <p>
              <b class={skill.shift < 0 ? "less" : "more"}>{withSign(skill.shift, 2)}</b>{" "}
              <span class="soft">{shiftWords(skill.shift)}</span>
            </p>
            <a
              class="small"
              href={writePlace(
                ["runs", id, "trajectory", skill.trajectory],
                skill.step === null ? {} : { step: String(skill.step) },
              )}
            >
              where it was written, update {count(skill.update)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
