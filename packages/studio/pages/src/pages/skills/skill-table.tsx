/** The skills in rows. */
import type { JSX } from "preact";
import type { SkillItem, SkillStatus } from "../../../../src/serve/api.ts";
import { count, withSign } from "../../format/numbers.ts";
import { SHIFT_MEANING } from "./shift-words.ts";
import { Estimate } from "../../parts/figures.tsx";
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
      <Estimate value={lift.value} low={lift.low} high={lift.high} difference />
    </span>
  );
}

export interface SkillTableProps {
  readonly skills: readonly SkillItem[];
  readonly held: number;
  readonly chosen: string | undefined;
}

/** Beside the details of one skill there is room for a few columns only. */
export function SkillTable({ skills, held, chosen }: SkillTableProps): JSX.Element {
  const place = usePlace();
  const wide = chosen === undefined;
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Skill</th>
            {wide && <th scope="col">Level</th>}
            <th scope="col">Status</th>
            {wide && (
              <th scope="col" class="number">
                Evidence
              </th>
            )}
            <th scope="col" class="number">
              Uses
            </th>
            {wide && <th scope="col">Lift</th>}
            <th scope="col" class="number" title={SHIFT_MEANING}>
              Teacher shift
            </th>
          </tr>
        </thead>
        <tbody>
          {skills.map((skill, row) => (
            <SkillRow
              key={skill.id}
              skill={skill}
              wide={wide}
              held={row === held || skill.id === chosen}
              choose={() => refine(place, { id: skill.id === chosen ? undefined : skill.id })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SkillRowProps {
  readonly skill: SkillItem;
  readonly wide: boolean;
  readonly held: boolean;
  readonly choose: () => void;
}

function SkillRow({ skill, wide, held, choose }: SkillRowProps): JSX.Element {
  return (
    <tr class={held ? "held" : ""}>
      <th scope="row" class="name">
        <button type="button" class="link" onClick={choose}>
          <span class="two-lines inert">{visibleLine(skill.text, 220)}</span>
        </button>
      </th>
      {wide && <td data-label="Level">{visibleLine(skill.level, 20)}</td>}
      <td data-label="Status">
        <StatusOfSkill status={skill.status} />
      </td>
      {wide && (
        <td data-label="Evidence" class="number">
          {count(skill.evidence)}
        </td>
      )}
      <td data-label="Uses" class="number">
        {count(skill.uses)}
      </td>
      {wide && (
        <td data-label="Lift">
          <Lift lift={skill.lift} />
        </td>
      )}
      <td data-label="Teacher shift" class="number">
        {skill.shift === null ? "–" : withSign(skill.shift)}
      </td>
    </tr>
  );
}
