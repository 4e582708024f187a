/** Skills whose files, tools or versions have changed since retire themselves, installed copies too. */
import { resolve } from "node:path";
import { cleanLine } from "limbeck-base/base/clean-text";
import { statIfThere } from "limbeck-base/base/files";
import { errorData } from "limbeck-base/base/errors";
import { restsOn, stalenessOf } from "limbeck-core/skill/extract/rests-on";
import { applyChanges, readInstalled } from "limbeck-core/skill/install/installed";
import { planUninstall } from "limbeck-core/skill/install/plan";
import { givenAct, givenLibrary } from "limbeck-core/skill/library/given-library";
import { decide } from "limbeck-core/skill/library/decide";
import type { Library } from "limbeck-core/skill/library/library";
import type { LibrarySkill } from "limbeck-core/skill/library/library-skill";
import { withStore } from "../../store/with-store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { CheckContext, CheckInput } from "../skills.inputs.ts";

/** `left` are those out of use, or resting on nothing that can be checked, where all were asked for. */
export async function checkLibrary(given: CheckInput, context: CheckContext) {
  const { names, dryRun } = given;
  const library = givenLibrary(given, context);
  const { skills, problems } = await library.list();
  const wanted = names.length > 0 ? names : skills.map(({ name }) => name);
  const checked = (await Promise.all(wanted.map((name) => library.read(name)))).filter(
    ({ status, restsOn: ground }) => ground !== undefined && status !== "archived" && status !== "quarantined",
  );
  const later = checked.length === 0 ? [] : await sessions(context);
  const one = given.keep ? renew : retireStale;
  let changed = 0;
  for (const skill of checked) changed += await one({ given, context, library, later }, skill);
  changed += await takeBackRetired(given, context, library);
  for (const { name, problem } of problems) context.note(`! ${name}: ${problem}`);
  if (!dryRun) await library.list();
  const counts = { skills: checked.length, changed };
  context.emit({ event: "end", ...counts });
  return { ...counts, left: names.length === 0 ? skills.length - checked.length : 0 };
}

/** Without a store nothing is known of tools and programs; files and packages are checked all the same. */
async function sessions({ store: root, note }: CheckContext): Promise<Trajectory[]> {
  const there = await statIfThere(root);
  if (there?.isDirectory() !== true) return [];
  try {
    return await withStore(root, async (store) => {
      const found: Trajectory[] = [];
      for await (const trajectory of store.trajectories({})) found.push({ ...trajectory, streams: [] });
      return found;
    });
  } catch (error) {
    note(`! Tools and programs are not checked: ${errorData(error).message}`);
    return [];
  }
}

interface Check {
  readonly given: CheckInput;
  readonly context: CheckContext;
  readonly library: Library;
  /** What is stored. */
  readonly later: readonly Trajectory[];
}

async function retireStale({ given, context, library, later }: Check, skill: LibrarySkill): Promise<number> {
  const { name, restsOn: ground } = skill;
  const here = resolve(context.cwd, given.folder ?? ".");
  const stale = ground === undefined ? [] : await stalenessOf(ground, later, here);
  if (stale.length === 0) return 0;
  const why = `stale: ${stale.map(cleanLine).join("; ")}`.slice(0, 400);
  const { status } = given.dryRun
    ? skill
    : await decide(library, name, { decision: "retire", why, ...givenAct(given, context) });
  context.emit({ event: "change", name, decision: "retire", status, why });
  return given.dryRun ? 0 : 1;
}

/** A person has looked: it holds as things are today. */
async function renew({ given, context, library, later }: Check, skill: LibrarySkill): Promise<number> {
  const cited = new Set(skill.evidence.map(({ trajectory }) => trajectory));
  const evidence = later.filter(({ id }) => cited.has(id));
  const ground = await restsOn(skill, evidence, new Date().toISOString());
  if (ground === undefined || given.dryRun) return 0;
  const { name, status } = skill;
  const act = { action: "still holds", ...givenAct(given, context) };
  await library.change(name, act, (now) => ({ ...now, restsOn: ground }));
  context.emit({ event: "change", name, decision: "keep", status });
  return 1;
}

/** What is out of use must not stay where agents read it, however it went out of use. */
async function takeBackRetired({ dryRun }: CheckInput, context: CheckContext, library: Library): Promise<number> {
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
    context.note(`! ${path} holds a skill that is out of use, and was changed by hand: take it out yourself.`);
  if (!dryRun) await applyChanges(library, changes);
  for (const { path } of changes) context.emit({ event: "file", path, change: "remove" });
  return dryRun ? 0 : changes.length;
}
