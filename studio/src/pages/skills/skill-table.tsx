/** The skills in rows. */
import type { JSX } from "preact";
import type { SkillItem, SkillStatus } from "../../../../src/serve/api.ts";
import { count, signed } from "../../format/numbers.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { DifferenceMark } from "../compare/difference-mark.tsx";

const KINDS: Readonly<Record<SkillStatus, string>> = {
  candidate: "",
  unproven: "",
  promoted: "good",
  demoted: "warn",
  quarantined: "bad",
  retired: "",
  seen: "",
};

export function StatusOfSkill({ status }: { readonly status: SkillStatus }): JSX.Element {
  return <span class={`badge ${KINDS[status]}`}>{status}</span>;
}

export function Lift({ lift }: { readonly lift: SkillItem["lift"] }): JSX.Element {
  if (lift === null) return <span class="soft no-wrap">not measured</span>;
  return (
    <span class="row">
      <DifferenceMark difference={{ difference: lift.value, low: lift.low, high: lift.high }} />
      <span>
        <b>{signed(lift.value * 100, 0)}</b>{" "}
        <span class="soft">
          [{signed(lift.low * 100, 0)}, {signed(lift.high * 100, 0)}] points
        </span>
      </span>
    </span>
  );
}

export interface SkillTableProps {
  readonly skills: readonly SkillItem[];
  readonly held: number;
  readonly chosen: string | undefined;
}

export function SkillTable({ skills, held, chosen }: SkillTableProps): JSX.Element {
  const place = usePlace();
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Skill</th>
            <th scope="col">Level</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Evidence
            </th>
            <th scope="col" class="number">
              Uses
            </th>
            <th scope="col">Lift</th>
            <th scope="col" class="number">
              Teacher shift
            </th>
          </tr>
        </thead>
        <tbody>
          {skills.map((skill, row) => (
            <tr key={skill.id} class={row === held || skill.id === chosen ? "held" : ""}>
              <th scope="row" class="name">
                <button
                  type="button"
                  class="link"
                  onClick={() => refine(place, { id: skill.id === chosen ? undefined : skill.id })}
                >
                  <span class="two-lines inert">{visibleLine(skill.text, 220)}</span>
                </button>
              </th>
              <td data-label="Level">{visibleLine(skill.level, 20)}</td>
              <td data-label="Status">
                <StatusOfSkill status={skill.status} />
              </td>
              <td data-label="Evidence" class="number">
                {count(skill.evidence)}
              </td>
              <td data-label="Uses" class="number">
                {count(skill.uses)}
              </td>
              <td data-label="Lift">
                <Lift lift={skill.lift} />
              </td>
              <td data-label="Shift" class="number">
                {skill.shift === null ? "–" : signed(skill.shift)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
