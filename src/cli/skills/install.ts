/** `limbeck skills install` and `uninstall`: a diff first, then a question, then files where an agent looks. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { EngineError, lookUp, withoutUndefined } from "../../base/index.ts";
import { createRedactor } from "../../record/recorder/redact.ts";
import { isInUse } from "../../record/recorder/selection/offered-skill.ts";
import { agents, FORMS, type AgentId, type Form } from "../../skill/install/agents.ts";
import { applyChanges, type FileChange } from "../../skill/install/installed.ts";
import { isProven, planInstall, planUninstall } from "../../skill/install/plan.ts";
import type { Library, LibrarySkill } from "../../skill/library/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { diffLines } from "../look/diff.ts";
import { plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { givenLibrary, givenNames } from "./open-given.ts";

export async function runInstall(invocation: Invocation): Promise<number> {
  const library = givenLibrary(invocation);
  const agent = givenAgent(invocation);
  if (agent === undefined) throw usageError(`"limbeck skills install" needs --for ${Object.keys(agents).join("|")}.`);
  const skills = await chosen(invocation, library);
  if (skills.length === 0) {
    invocation.print(
      'No skill is proven, so nothing is installed. "limbeck skills lift" proves one; --force installs one that is named as it is.',
    );
    if (invocation.json) invocation.printJson({ event: "end", skills: 0, changed: 0 });
    return EXIT.done;
  }
  const changes = await planInstall({
    library,
    agent,
    ...withoutUndefined({ form: givenForm(invocation) }),
    user: invocation.flag("user"),
    where: givenWhere(invocation),
    skills,
    force: invocation.flag("force"),
    at: new Date().toISOString(),
  });
  requireNoSecrets(changes);
  return await carryOut(invocation, library, changes, {
    done: "Installed",
    none: "Everything is installed as it is.",
    skills: skills.length,
  });
}

export async function runUninstall(invocation: Invocation): Promise<number> {
  const library = givenLibrary(invocation);
  const names = givenNames(invocation, false);
  const { changes, edited } = await planUninstall({
    library,
    ...(names.length === 0 ? {} : { names }),
    ...withoutUndefined({ agent: givenAgent(invocation) }),
    ...(invocation.flag("user") ? { user: true } : {}),
    at: new Date().toISOString(),
  });
  for (const path of edited) {
    if (invocation.json)
      invocation.printJson({ event: "problem", path, problem: "changed by hand since; left as it is" });
    else invocation.note(`! ${cleanLine(path)} was changed by hand since it was installed, and is left as it is.`);
  }
  return await carryOut(invocation, library, changes, {
    done: "Taken back",
    none: "Nothing is installed.",
    skills: names.length,
  });
}

/** `--for`. */
export function givenAgent(invocation: Invocation): AgentId | undefined {
  const named = invocation.text("for");
  if (named === undefined) return undefined;
  lookUp(agents, named, "agent");
  return named as AgentId;
}

function givenForm(invocation: Invocation): Form | undefined {
  const form = invocation.text("as");
  return form === undefined ? undefined : lookUp(Object.fromEntries(FORMS.map((one) => [one, one])), form, "form");
}

/** The project, the user's folder and the environment that decide where an agent looks. */
export function givenWhere(invocation: Invocation): { project: string; home: string; env: Invocation["io"]["env"] } {
  const { io } = invocation;
  return { project: resolve(io.cwd, invocation.text("folder") ?? "."), home: io.env["HOME"] || homedir(), env: io.env };
}

/** Those that are named, else all in use that are proven; with `--force` all in use. */
async function chosen(invocation: Invocation, library: Library): Promise<LibrarySkill[]> {
  const names = givenNames(invocation, false);
  if (names.length > 0) return await Promise.all(names.map((name) => library.read(name)));
  const used = (await library.list()).skills.filter(isInUse);
  const wanted = invocation.flag("force") ? used : used.filter(isProven);
  const left = used.filter((skill) => !wanted.includes(skill)).map(({ name }) => name);
  if (left.length > 0)
    invocation.note(
      `! Not proven, and so not installed: ${left.join(", ")}. "limbeck skills lift ${left.join(" ")}" proves them; --force installs them as they are.`,
    );
  return await Promise.all(wanted.map(({ name }) => library.read(name)));
}

/** Imports take secrets out; a skill may have come from elsewhere. */
export function requireNoSecrets(changes: readonly FileChange[]): void {
  const redactor = createRedactor({ emails: false });
  for (const { path, written } of changes) {
    if (written === undefined || redactor.text(written.text) === written.text) continue;
    throw new EngineError(
      "bad-skill",
      `What would be written to "${path}" (${written.skills.join(", ")}) looks as if it held a key or a password. Take it out of the skill first.`,
    );
  }
}

interface Words {
  readonly done: string;
  readonly none: string;
  readonly skills: number;
}

async function carryOut(
  invocation: Invocation,
  library: Library,
  changes: readonly FileChange[],
  { done, none, skills }: Words,
): Promise<number> {
  for (const change of changes) show(invocation, change);
  const end = (changed: number): number => {
    if (invocation.json) invocation.printJson({ event: "end", skills, changed });
    return EXIT.done;
  };
  if (changes.length === 0) {
    invocation.print(none);
    return end(0);
  }
  if (invocation.flag("dry-run")) return end(0);
  if (!invocation.flag("yes")) {
    const answer = await invocation.io.ask(`Change ${plural(changes.length, "file")} as shown? [y/N] `);
    if (answer === undefined) {
      throw new EngineError(
        "needs-yes",
        `${plural(changes.length, "file")} would change, and nobody can be asked here; --yes changes them, --dry-run only shows it.`,
        { details: { files: changes.map(({ path }) => path) } },
      );
    }
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      invocation.print("Nothing was changed.");
      return end(0);
    }
  }
  await applyChanges(library, changes);
  invocation.print(`${done}: ${plural(changes.length, "file")}.`);
  return end(changes.length);
}

function show(invocation: Invocation, { path, before, after }: FileChange): void {
  const change = before === undefined ? "create" : after === undefined ? "remove" : "change";
  if (invocation.json) {
    invocation.printJson({ event: "file", path, change, diff: diffText(before, after) });
    return;
  }
  const lines = diffLines(before, after);
  const { style } = invocation;
  invocation.print(`${change} ${style.bold(cleanLine(path))}`);
  for (const { kind, text } of lines) {
    const line = `  ${MARKS[kind]} ${cleanLine(text)}`;
    invocation.print(kind === "new" ? style.green(line) : kind === "gone" ? style.red(line) : style.dim(line));
  }
}

/** Each line with its mark. */
export function diffText(before: string | undefined, after: string | undefined): string {
  return diffLines(before, after)
    .map(({ kind, text }) => `${MARKS[kind]}${text}`)
    .join("\n");
}

const MARKS = { same: " ", gone: "-", new: "+", cut: "…" } as const;
