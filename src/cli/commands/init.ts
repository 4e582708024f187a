/** `limbeck init`: a small project of one's own that works at once. */
import { relative, resolve } from "node:path";
import { lookUp } from "../../base/registry.ts";
import { startedInClone } from "../../base/package-info.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { TemplateName } from "../init/templates.ts";
import { cleanLine } from "../look/clean-text.ts";
import { flag, text } from "../options.ts";
import { usageError } from "../parse.ts";

const FOLDER = "my-world";

export const init: Command = {
  group: "start",
  summary: "Write a small project: a world, its test, a reward, a training",
  usage: "[DIR] [--template NAME] [--limbeck PATH] [--force]",
  description:
    "Writes TypeScript that works at once: npm install, npm test, npm run train. On a terminal it asks for what is not given. A folder that is not empty is refused, unless --force is given.\n" +
    "Templates: text-world, tool-world (actions are calls, as JSON), questions (about your own text files), ai-sdk-agent (an AI SDK agent with tools, without a key), http-world (a service as a world), openenv (the world of a server), verifiers (an environment in Python).",
  options: {
    template: text("NAME", "What to begin with", templateNames),
    limbeck: text("PATH", "Depend on this tarball or folder. Default: this version, from the registry"),
    force: flag("Write into a folder that is not empty, over files of the same name"),
  },
  arity: [0, 1],
  examples: [
    "limbeck init my-world --template text-world",
    "limbeck init --template questions --limbeck ../limbeck-0.1.0.tgz",
    "limbeck init my-agent",
  ],
  jsonFields: {
    template: "what it began with",
    folder: "where it lies",
    files: "the files that were written",
    limbeck: "the limbeck that package.json asks for",
    next: "what to type in the folder",
  },
  run: async (invocation) => {
    const { writeProject } = await import("../init/write-project.ts");
    const { io, style } = invocation;
    const template = await chosenTemplate(invocation);
    const folder = resolve(io.cwd, await chosenFolder(invocation));
    const given = invocation.text("limbeck");
    const limbeck = given === undefined ? undefined : resolve(io.cwd, given);
    const { files, limbeck: dependency } = await writeProject({
      template,
      folder,
      limbeck,
      force: invocation.flag("force"),
    });
    const next = ["npm install", "npm test", "npm run train"];
    if (invocation.json) invocation.printJson({ template, folder, files, limbeck: dependency, next });
    const way = relative(io.cwd, folder);
    const typed = /\s/.test(way) ? JSON.stringify(way) : way;
    invocation.print(`${style.green("✓")} ${template} in ${style.cyan(cleanLine(way === "" ? "this folder" : way))}:`);
    for (const file of files) invocation.print(`  ${file}`);
    invocation.print("Next:");
    for (const line of way === "" ? next : [`cd ${cleanLine(typed)}`, ...next]) invocation.print(`  ${line}`);
    // Sources are no release: the version of a clone may not be in any registry.
    if (limbeck === undefined && startedInClone()) {
      invocation.note(
        "This is a clone. If its version is not published: npm run pack, and limbeck init … --limbeck limbeck-VERSION.tgz.",
      );
    }
    return EXIT.done;
  },
};

async function templateNames(): Promise<readonly string[]> {
  return Object.keys((await import("../init/templates.ts")).templates);
}

/** By its name or, where it was asked for, its number in the list. */
async function chosenTemplate(invocation: Invocation): Promise<TemplateName> {
  const { templates } = await import("../init/templates.ts");
  const names = Object.keys(templates) as TemplateName[];
  const given = invocation.text("template");
  if (given !== undefined) return known(templates, given);
  if (invocation.io.terminal.in && !invocation.json) {
    const list = names.map((name, at) => `  ${at + 1}  ${name.padEnd(14)}${templates[name].summary}`).join("\n");
    const answer = (await invocation.io.ask(`${list}\nWhich template? [1] `))?.trim();
    if (answer !== undefined) return names[Number(answer === "" ? 1 : answer) - 1] ?? known(templates, answer);
  }
  throw usageError(`"limbeck init" needs --template NAME; known: ${names.join(", ")}.`);
}

function known(templates: Readonly<Record<TemplateName, object>>, name: string): TemplateName {
  lookUp(templates, name, "template");
  return name as TemplateName;
}

/** Where nobody can be asked, the folder in which the command was typed. */
async function chosenFolder(invocation: Invocation): Promise<string> {
  const [given] = invocation.positionals;
  if (given !== undefined) return given;
  if (!invocation.io.terminal.in || invocation.json) return ".";
  const answer = (await invocation.io.ask(`Which folder? [${FOLDER}] `))?.trim();
  return answer === undefined || answer === "" ? FOLDER : answer;
}
