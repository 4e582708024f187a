/** Sessions that are followed, and what they show, for people. */
import { relative } from "node:path";
import type { follow } from "limbeck-store/record/following/follow";
import type { Proposal } from "limbeck-store/record/following/proposals";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";

type Told = Proposal &
  Record<"event" | "path" | "problem", string> &
  Record<"steps" | "sessions", number> & { readonly folders: readonly string[] };

export function showFollowed({ print, note, io }: Invocation) {
  const says: Readonly<Record<string, (one: Told) => void>> = {
    following: ({ folders }) =>
      print(`Following ${plural(folders.length, "folder")}; Ctrl-C ends it. Nothing is installed.`),
    read: ({ path, steps, sessions }) =>
      print(
        `read      ${cleanLine(path)}: ${plural(steps, "new step")}${sessions > 1 ? ` of ${sessions} sessions` : ""}`,
      ),
    problem: ({ path, problem }) => note(`! ${cleanLine(path)}: ${cleanLine(problem)}`),
    proposal: ({ name, text, outcome, evidence }) => {
      const sessions = plural(evidence.length, "session");
      if (outcome === "merged") return print(`evidence  ${name}: ${sessions} now`);
      const advice = cleanLine(text.replaceAll("\n", " ")).slice(0, 160);
      print(`proposes  ${name} (${sessions}): ${advice}  To take it: limbeck skills accept ${name}`);
    },
  };
  return {
    event: (one: Told) => says[one.event]?.(one),
    result: (followed: Awaited<ReturnType<typeof follow>>) => {
      if (followed === undefined) return print("Nothing was read.");
      const { files, steps, proposed, proposals } = followed;
      print(
        `${plural(files, "file")} read, ${plural(steps, "new step")}; ${plural(proposed, "proposal")} in ${cleanLine(relative(io.cwd, proposals) || ".")}.`,
      );
    },
  };
}
