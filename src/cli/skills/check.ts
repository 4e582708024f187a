/** `limbeck skills check`: skills whose files, tools or versions have changed since retire themselves, installed copies too. */

import { resolve } from "node:path";
import { statIfThere } from "../../base/files.ts";
import { errorData } from "../../base/index.ts";
import { restsOn, stalenessOf } from "../../skill/extract/rests-on.ts";
import { applyChanges, readInstalled } from "../../skill/install/installed.ts";
import { planUninstall } from "../../skill/install/plan.ts";
import { decide, type Library, type LibrarySkill } from "../../skill/library/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { givenBy, givenLibrary, givenNames, givenWhy } from "./open-given.ts";
import { withStore } from "../with-store.ts";

export async function runCheck(invocation: Invocation): Promise<number> {
  const library = givenLibrary(invocation);
  const names = givenNames(invocation, false);
  const { skills, problems } = await library.list();
  const wanted = names.length > 0 ? names : skills.map(({ name }) => name);
  const checked = (await Promise.all(wanted.map((name) => library.read(name)))).filter(
    ({ status, restsOn: ground }) => ground !== undefined && status !== "archived" && status !== "quarantined",
  );
  const later = checked.length === 0 ? [] : await sessions(invocation);
  const here = resolve(invocation.io.cwd, invocation.text("folder") ?? ".");
  let changed = 0;
  for (const skill of checked) {
    if (invocation.flag("keep")) changed += await renew(invocation, library, skill, later);
    else changed += await retireStale(invocation, library, skill, later, here);
  }
  changed += await takeBackRetired(invocation, library);
  for (const { name, problem } of problems) invocation.note(`! ${cleanLine(name)}: ${cleanLine(problem)}`);
  if (!invocation.flag("dry-run")) await library.list();
  if (invocation.json) invocation.printJson({ event: "end", skills: checked.length, changed });
  else
    invocation.print(
      `${plural(checked.length, "skill")} checked, ${changed} changed${skills.length > checked.length && names.length === 0 ? `; ${skills.length - checked.length} out of use or resting on nothing that can be checked` : ""}.`,
    );
  return EXIT.done;
}

/** Without a store nothing is known of tools and programs; files and packages are checked all the same. */
async function sessions(invocation: Invocation): Promise<Trajectory[]> {
  const there = await statIfThere(invocation.storeRoot);
  if (there?.isDirectory() !== true) return [];
  try {
    return await withStore(invocation.storeRoot, async (store) => {
      const found: Trajectory[] = [];
      for await (const trajectory of store.trajectories({})) found.push({ ...trajectory, streams: [] });
      return found;
    });
  } catch (error) {
    invocation.note(`! Tools and programs are not checked: ${cleanLine(errorData(error).message)}`);
    return [];
  }
}

async function retireStale(
  invocation: Invocation,
  library: Library,
  skill: LibrarySkill,
  later: readonly Trajectory[],
  here: string,
): Promise<number> {
  const { name, restsOn: ground } = skill;
  const stale = ground === undefined ? [] : await stalenessOf(ground, later, here);
  if (stale.length === 0) return 0;
  const why = `stale: ${stale.map(cleanLine).join("; ")}`.slice(0, 400);
  const dry = invocation.flag("dry-run");
  const { status } = dry
    ? skill
    : await decide(library, name, { decision: "retire", by: givenBy(invocation), why, ...givenWhy(invocation) });
  if (invocation.json) invocation.printJson({ event: "change", name, decision: "retire", status, why });
  else invocation.print(`${name}: ${dry ? "would retire" : "retired"}, ${why}.`);
  return dry ? 0 : 1;
}

/** A person has looked: it holds as things are today. */
async function renew(
  invocation: Invocation,
  library: Library,
  skill: LibrarySkill,
  all: readonly Trajectory[],
): Promise<number> {
  const cited = new Set(skill.evidence.map(({ trajectory }) => trajectory));
  const evidence = all.filter(({ id }) => cited.has(id));
  const ground = await restsOn(skill, evidence, new Date().toISOString());
  if (ground === undefined || invocation.flag("dry-run")) return 0;
  await library.change(
    skill.name,
    { by: givenBy(invocation), action: "still holds", ...givenWhy(invocation) },
    (now) => ({
      ...now,
      restsOn: ground,
    }),
  );
  if (invocation.json)
    invocation.printJson({ event: "change", name: skill.name, decision: "keep", status: skill.status });
  else invocation.print(`${skill.name}: still holds, as things are today.`);
  return 1;
}

/** What is out of use must not stay where agents read it, however it went out of use. */
async function takeBackRetired(invocation: Invocation, library: Library): Promise<number> {
  const installed = new Set((await readInstalled(library)).flatMap(({ skills }) => skills));
  const gone: string[] = [];
  for (const name of installed) {
    const status = await library.read(name).then(
      (skill) => skill.status,
      () => "archived" as const,
    );
    if (status === "archived" || status === "quarantined") gone.push(name);
  }
  if (gone.length === 0) return 0;
  const { changes, edited } = await planUninstall({ library, names: gone, at: new Date().toISOString() });
  for (const path of edited)
    invocation.note(
      `! ${cleanLine(path)} holds a skill that is out of use, and was changed by hand: take it out yourself.`,
    );
  if (!invocation.flag("dry-run")) await applyChanges(library, changes);
  for (const { path } of changes) {
    if (invocation.json) invocation.printJson({ event: "file", path, change: "remove" });
    else invocation.print(`${invocation.flag("dry-run") ? "would take back" : "taken back"}: ${cleanLine(path)}`);
  }
  return invocation.flag("dry-run") ? 0 : changes.length;
}
