/** One of several processes that write into one library: node kill-librarian.mjs FOLDER MARK COUNT. */
import { addSkills } from "../../packages/core/src/skill/extract/add-skills.ts";
import { NO_STATISTICS } from "../../packages/core/src/skill/library/library-skill.ts";
import { openLibrary } from "../../packages/core/src/skill/library/library.ts";

const [, , folder = "", mark = "", count = "0"] = process.argv;
const library = openLibrary(folder);
for (let at = 0; at < Number(count); at += 1) {
  const skill = {
    name: "shared",
    description: "Found by everybody.",
    level: "task" as const,
    status: "candidate" as const,
    when: { goals: ["wash the {1}"] },
    text: "This worked: rinse the {1}.",
    evidence: [{ trajectory: `${mark}-${at}`, steps: [at] }],
    support: { successes: 1, failures: 0 },
    statistics: NO_STATISTICS,
    source: "test",
  };
  const own = { ...skill, name: `own-${mark}-${at}`, text: `Only ${mark} ${at} knows this one of many.` };
  await addSkills(library, [skill, own], { by: mark, action: "extracted" });
  await library.report("shared", { at: new Date().toISOString(), offered: true, success: true, by: mark });
}
