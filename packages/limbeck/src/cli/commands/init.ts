/** `limbeck init`: a small project of one's own that works at once. */
import { relative, resolve } from "node:path";
import { input } from "limbeck-base/base/input";
import { startedInClone } from "limbeck-base/base/package-info";
import { lookUp } from "limbeck-base/base/registry";
import type { Invocation } from "../command.ts";
import { defineCommand } from "../command-of.ts";
import { templates, type TemplateName } from "../init/templates.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { usageError } from "../parse.ts";

const FOLDER = "my-world";

const NAMES = Object.keys(templates) as TemplateName[];

export const init = defineCommand({
  group: "start",
  summary: "Write a small project: a world, its test, a reward, a training",
  description:
    "Writes TypeScript that works at once: npm install, npm test, npm run train. On a terminal it asks for what is not given. A folder that is not empty is refused, unless --force is given.\n" +
    "Templates: text-world, tool-world (actions are calls, as JSON), questions (about your own text files), ai-sdk-agent (an AI SDK agent with tools, without a key), http-world (a service as a world), openenv (the world of a server), verifiers (an environment in Python).",
  input: {
    folder: input.path("DIR", "Folder of the project", { at: 0 }),
    template: input.choice("NAME", "What to begin with", NAMES),
    limbeck: input.path("PATH", "Depend on this tarball or folder. Default: this version, from the registry"),
    force: input.flag("Write into a folder that is not empty, over files of the same name"),
  },
  examples: [
    "limbeck init my-world --template text-world",
    "limbeck init --template questions --limbeck ../limbeck-0.1.0.tgz",
    "limbeck init my-agent",
  ],
  line: {
    template: "what it began with",
    folder: "where it lies",
    files: "the files that were written",
    limbeck: "the limbeck that package.json asks for",
    next: "what to type in the folder",
  },
  run: async ({ force, ...given }, frame) => {
    const { writeProject } = await import("../init/write-project.ts");
    const { cwd, style, print } = frame;
    const template = given.template ?? (await askedTemplate(frame));
    const folder = resolve(cwd, given.folder ?? (await askedFolder(frame)));
    const own = given.limbeck === undefined ? undefined : resolve(cwd, given.limbeck);
    const { files, limbeck } = await writeProject({ template, folder, limbeck: own, force });
    const next = ["npm install", "npm test", "npm run train"];
    frame.emit({ template, folder, files, limbeck, next });
    const way = relative(cwd, folder);
    const typed = /\s/.test(way) ? JSON.stringify(way) : way;
    print(`${style.green("✓")} ${template} in ${style.cyan(cleanLine(way === "" ? "this folder" : way))}:`);
    for (const file of files) print(`  ${file}`);
    print("Next:");
    for (const line of way === "" ? next : [`cd ${cleanLine(typed)}`, ...next]) print(`  ${line}`);
    // Sources are no release: the version of a clone may not be in any registry.
    if (own === undefined && startedInClone()) {
      const cure = "npm run pack, and limbeck init … --limbeck limbeck-VERSION.tgz";
      frame.note(`This is a clone. If its version is not published: ${cure}.`);
    }
  },
});

/** Undefined without a terminal. */
async function answerTo({ io, json }: Invocation, question: string): Promise<string | undefined> {
  return io.terminal.in && !json ? (await io.ask(question))?.trim() : undefined;
}

/** By its name, or its number in the list. */
async function askedTemplate(frame: Invocation): Promise<TemplateName> {
  const list = NAMES.map((name, at) => `  ${at + 1}  ${name.padEnd(14)}${templates[name].summary}\n`);
  const answer = await answerTo(frame, `${list.join("")}Which template? [1] `);
  if (answer === undefined) throw usageError(`"limbeck init" needs --template NAME; known: ${NAMES.join(", ")}.`);
  const chosen = NAMES[Number(answer === "" ? 1 : answer) - 1];
  if (chosen === undefined) lookUp(templates, answer, "template");
  return chosen ?? (answer as TemplateName);
}

/** Without a terminal, the working folder. */
async function askedFolder(frame: Invocation): Promise<string> {
  const answer = await answerTo(frame, `Which folder? [${FOLDER}] `);
  return answer === "" ? FOLDER : (answer ?? ".");
}
