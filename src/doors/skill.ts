/** Skill: what finished episodes teach, in words, with the steps each lesson rests on, and the library that keeps it. */

// Analysts and writers
export { createStatisticsAnalyst } from "../skill/statistics/statistics.ts";
export { createModelAnalyst } from "../skill/model/model.ts";
export { createWriter } from "../skill/writer/writer.ts";
export { createSkill } from "../skill/create-skill.ts";
export { screenAnalyses } from "../skill/screen/screen-analyses.ts";
export { shouldAnalyse } from "../skill/outcome.ts";
export { teacherSchedule } from "../skill/schedule.ts";
export { buildTeacherForest } from "../skill/teacher-forest.ts";
export { sectionTemplates } from "../skill/templates.ts";
export type { Analyst, Analysis, Skill, Writer } from "../skill/skill.ts";

// Extraction
export { extractSkills } from "../skill/extract/extract.ts";
export { addSkills } from "../skill/extract/add-skills.ts";
export { buildProtocol } from "../skill/extract/protocol.ts";
export { planDegradation } from "../skill/extract/groundedness.ts";
export { screenSkill } from "../skill/screen/screen.ts";

// The library, banks of others, and skills for a goal
export { openLibrary, type Library } from "../skill/library/library.ts";
export { decide, rollBack } from "../skill/library/decide.ts";
export { readBank, retrieveFromBank, updateBank, bankSkills } from "../skill/bank/skill-bank.ts";
export { skillsForPrompt } from "../skill/selection/for-prompt.ts";

// Commands
export { selectSkills, reportSkills } from "../skill/skills.operation.ts";
export { installSkills, uninstallSkills } from "../skill/install/install.operation.ts";
