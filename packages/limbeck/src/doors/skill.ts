/** Skill: what finished episodes teach, in words, with the steps each lesson rests on, and the library that keeps it. */

// Analysts and writers
export { createStatisticsAnalyst } from "limbeck-core/skill/statistics/statistics";
export { createModelAnalyst } from "limbeck-core/skill/model/model";
export { createWriter } from "limbeck-core/skill/writer/writer";
export { createSkill } from "limbeck-core/skill/create-skill";
export { screenAnalyses } from "limbeck-core/skill/screen/screen-analyses";
export { shouldAnalyse } from "limbeck-core/skill/outcome";
export { teacherSchedule } from "limbeck-core/skill/schedule";
export { buildTeacherForest } from "limbeck-core/skill/teacher-forest";
export { sectionTemplates } from "limbeck-core/skill/templates";
export type { Analyst, Analysis, Skill, Writer } from "limbeck-core/skill/skill";

// Extraction
export { extractSkills } from "limbeck-core/skill/extract/extract";
export { addSkills } from "limbeck-core/skill/extract/add-skills";
export { buildProtocol } from "limbeck-core/skill/extract/protocol";
export { planDegradation } from "limbeck-core/skill/extract/groundedness";
export { screenSkill } from "limbeck-core/skill/screen/screen";

// The library, banks of others, and skills for a goal
export { openLibrary, type Library } from "limbeck-core/skill/library/library";
export { decide, rollBack } from "limbeck-core/skill/library/decide";
export { readBank, retrieveFromBank, updateBank, bankSkills } from "limbeck-core/skill/bank/skill-bank";
export { skillsForPrompt } from "limbeck-core/skill/selection/for-prompt";

// Commands
export { selectSkills, reportSkills } from "limbeck-core/skill/skills.operation";
export { installSkills, uninstallSkills } from "limbeck-core/skill/install/install.operation";
