/** What keeps a library of skills: `limbeck skills accept`, `tend` and `check`. */
import { defineOperation } from "limbeck-base/base/operation";
import { actInputs, changeEvents, endCounts, handInputs, skillEvents } from "limbeck-core/skill/skills.inputs";
import { checkEvents, checkInputs } from "./skills.inputs.ts";

const head = { group: "learn", examples: [] } as const;

/**
 * Proposals into the library, as candidates; nothing is installed.
 *
 * @example
 * await acceptSkills().catch((error: Error) => console.log(error.message)); // "skills accept" needs names: The skills.
 */
export const acceptSkills = defineOperation({
  ...head,
  name: "skills accept",
  summary: "proposals into the library",
  input: handInputs,
  events: skillEvents,
  run: async (given, context) => {
    const { addSkills } = await import("limbeck-core/skill/extract/add-skills");
    const { givenAct, givenLibrary } = await import("limbeck-core/skill/library/given-library");
    const { decide } = await import("limbeck-core/skill/library/decide");
    const { proposalsIn } = await import("./following/proposals.ts");
    const library = givenLibrary(given, context);
    const proposals = proposalsIn(library);
    const act = { action: "accepted", ...givenAct(given, context) };
    const all = await Promise.all(given.names.map((name) => proposals.read(name)));
    for (const { version: _, ...skill } of all) {
      const [added] = await addSkills(library, [skill], act);
      await decide(proposals, skill.name, { decision: "retire", by: act.by, why: "accepted" });
      const { name = skill.name, outcome = "known" } = added ?? {};
      context.emit({ event: "skill", name, outcome, status: (await library.read(name)).status });
    }
    await library.list();
  },
});

/**
 * Demotes, brings back and retires by use. By use alone nothing becomes active that was never proven.
 *
 * @example
 * console.log(await tendSkills({ library: "no-such-folder" })); // { skills: 0, changed: 0 }
 */
export const tendSkills = defineOperation({
  ...head,
  name: "skills tend",
  summary: "demote, bring back and retire by use",
  input: actInputs,
  events: { ...changeEvents, end: endCounts },
  run: async (given, context) => {
    const { givenAct } = await import("limbeck-core/skill/library/given-library");
    const { decide } = await import("limbeck-core/skill/library/decide");
    const { hasExpired, statusByUse } = await import("limbeck-core/skill/lifecycle/lifecycle");
    const { libraryWithUses } = await import("./skill-uses.ts");
    const library = await libraryWithUses(given, context);
    const { skills } = await library.list();
    let changed = 0;
    for (const skill of skills) {
      const { name, statistics } = skill;
      const next = statusByUse(skill);
      const expired = hasExpired(skill, Date.now());
      if (!expired && next === skill.status) continue;
      const decision = expired ? "retire" : next === "active" ? "promote" : "demote";
      changed += 1;
      const { successes, failures } = statistics;
      const why = expired ? "long unused" : `${successes} of ${successes + failures} uses succeeded`;
      const { status } = await decide(library, name, { decision, why, ...givenAct(given, context) });
      context.emit({ event: "change", name, decision, status, why });
    }
    await library.list();
    const counts = { skills: skills.length, changed };
    context.emit({ event: "end", ...counts });
    return counts;
  },
});

/**
 * Retires skills whose files, tools or versions have changed since, and takes back what is installed of them.
 *
 * @example
 * console.log(await checkSkills({ library: "no-such-folder" })); // { skills: 0, changed: 0, left: 0 }
 */
export const checkSkills = defineOperation({
  ...head,
  name: "skills check",
  summary: "retire skills whose files, tools or versions have changed, and take back what is installed of them",
  input: checkInputs,
  events: checkEvents,
  run: async (given, context) => await (await import("./following/check.ts")).checkLibrary(given, context),
});
