/** Where the server finds the skill library; none until there is one. */
import type { SkillDecision, SkillDetail, SkillItem, SkillStatus } from "../api/skills.ts";
import type { SkillsAsked } from "./run-skills.ts";

export interface LibraryAsked extends SkillsAsked {
  readonly status?: SkillStatus | undefined;
}

export interface SkillLibrary {
  /** The folder's name. */
  readonly name: string;
  list(asked: LibraryAsked): Promise<{
    readonly total: number;
    readonly skills: SkillItem[];
    readonly problems: { readonly file: string; readonly problem: string }[];
  }>;
  read(id: string): Promise<SkillDetail>;
  decide(decision: SkillDecision): Promise<SkillDetail>;
}
