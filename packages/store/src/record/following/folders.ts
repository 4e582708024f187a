/** Which folders are followed, and whether they may be read. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { askFirst } from "limbeck-base/base/ask-first";
import { usageError, EngineError } from "limbeck-base/base/errors";
import { statIfThere } from "limbeck-base/base/files";
import { lookUp } from "limbeck-base/base/registry";
import { sum } from "limbeck-base/base/statistics/summary";
import { formatBytes, plural } from "limbeck-base/base/units";
import { sessionFiles } from "../../store/formats/detect.ts";
import type { SessionSource } from "../../store/formats/source.ts";
import { importers } from "../importers/registry.ts";
import type { FollowContext, FollowInput } from "../skills.inputs.ts";
import type { FollowedFolder } from "./session-files.ts";

/** Folders that are named, else the usual ones that are there. */
export async function foldersToFollow(
  { folders: named, from: programNames }: FollowInput,
  { environment: env, cwd }: FollowContext,
): Promise<FollowedFolder[]> {
  const from = programNames.map((name) => lookUp<SessionSource>(importers, name, "program"));
  if (named.length > 0) {
    const [importer, ...others] = from;
    if (importer === undefined || others.length > 0)
      throw usageError('Whose sessions are they? "limbeck skills follow FOLDER" needs one --from PROGRAM.');
    return await there(named.map((folder) => ({ importer: followable(importer), folder: resolve(cwd, folder) })));
  }
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const programs = from.length > 0 ? from.map(followable) : Object.values<SessionSource>(importers);
  const usual = programs.flatMap((importer) =>
    (importer.folders?.({ home, env, platform: process.platform }) ?? []).map((folder) => ({ importer, folder })),
  );
  return await there(usual);
}

function followable(importer: SessionSource): SessionSource {
  if (importer.joinsFiles !== true) return importer;
  throw usageError(
    `Files of ${importer.title} belong together and are read at once: limbeck import --from ${importer.id} FOLDER.`,
  );
}

async function there(all: readonly FollowedFolder[]): Promise<FollowedFolder[]> {
  const found: FollowedFolder[] = [];
  for (const followed of all) {
    const about = await statIfThere(followed.folder);
    if (about?.isDirectory() === true) found.push(followed);
  }
  if (found.length > 0) return found;
  const folders = all.map(({ folder }) => folder);
  throw new EngineError(
    "no-files",
    `There is no folder of sessions to follow${folders.length === 0 ? "" : ` (looked for ${folders.map((folder) => JSON.stringify(folder)).join(", ")})`}. Name one: limbeck skills follow FOLDER --from claude-code.`,
    { details: { folders } },
  );
}

/** Says what is there and asks; with `yes` it only says. */
export async function mayFollow(given: FollowInput, context: FollowContext, folders: readonly FollowedFolder[]) {
  const { once, yes } = given;
  const lines: string[] = [];
  for (const { importer, folder } of folders) {
    const { files, bytes } = await sizeOf(importer, folder);
    context.emit({ event: "found", from: importer.id, folders: [folder], files, bytes });
    lines.push(`  ${importer.title}: ${plural(files, "session file")}, ${formatBytes(bytes)}, in ${folder}`);
  }
  const what = `Sessions that are there${once ? "" : ", and those that come"}:\n${lines.join("\n")}`;
  if (yes) {
    context.note(what);
    return true;
  }
  const question = `${what}\nThey stay on this machine; keys and e-mail addresses are taken out before anything is stored, and nothing is installed.\nRead them? [y/N] `;
  const unasked = `${what}\nNobody can be asked here; --yes reads them.`;
  return await askFirst(context, question, unasked, { folders: folders.map(({ folder }) => folder) });
}

async function sizeOf(importer: SessionSource, folder: string): Promise<{ files: number; bytes: number }> {
  const sizes: number[] = [];
  try {
    for await (const path of sessionFiles(importer, folder)) sizes.push((await statIfThere(path))?.size ?? 0);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no-files") throw error;
  }
  return { files: sizes.length, bytes: sum(sizes) };
}
