/** The library: skills in plain files, their history, and what was decided about them. */
export { decide, DECISIONS, rollBack, type Decision, type DecisionId } from "./decide.ts";
export type { LibraryEntry, LibraryProblem, Listing } from "./index-file.ts";
export { openLibrary, type Act, type Library, type LibraryOptions, type NewSkill } from "./library.ts";
export {
  LIBRARY_LEVELS,
  NO_STATISTICS,
  STATUSES,
  type Change,
  type Difference,
  type LibraryLevel,
  type LibrarySkill,
  type LiftRecord,
  type Link,
  type SkillStatistics,
  type Status,
  type Use,
  type When,
} from "./library-skill.ts";
export { readSkillFile, writeSkillFile, type SkillFile } from "./skill-file.ts";
export { versionOf } from "./version-of.ts";
