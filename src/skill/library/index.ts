/** The library: skills in plain files, their history, and what was decided about them. */
export { decide, rollBack, type Decision } from "./decide.ts";
export type { LibraryEntry, LibraryProblem, Listing } from "./index-file.ts";
export { openLibrary, type Library, type NewSkill } from "./library.ts";
export {
  NO_STATISTICS,
  STATUSES,
  type Change,
  type Difference,
  type LibrarySkill,
  type LiftRecord,
  type Link,
  type SkillStatistics,
  type Status,
  type Use,
} from "./library-skill.ts";
export type { DecisionId } from "./transitions.ts";
