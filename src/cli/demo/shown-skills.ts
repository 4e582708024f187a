/** The skills that changed the teacher's mind most. A shift is an opinion; whether a skill helps is for a measured lift to say. */
import type { ShownSkill } from "../../eval/report/skills.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";

export function printSkills(invocation: Invocation, skills: readonly ShownSkill[]): void {
  const { style, print } = invocation;
  if (skills.length === 0) return;
  print();
  print(style.bold("Skills that shifted the teacher's opinion most"));
  for (const { level, text, shift, trajectory, step } of skills) {
    const where = step === undefined ? trajectory : `${trajectory}, step ${step}`;
    print(
      `  ${level.padEnd(7)} ${shift >= 0 ? "+" : ""}${shift.toFixed(2)} nats a token  ${style.dim(`seen in ${cleanLine(where)}`)}`,
    );
    print(`          ${cleanLine(text)}`);
  }
  print(style.dim("  A shift is the teacher's opinion of the words the agent chose, not a measured gain."));
}
