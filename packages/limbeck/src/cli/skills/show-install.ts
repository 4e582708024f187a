/** What an installation changes, for people. */
import type { CarriedOut } from "limbeck-core/skill/install/carry-out";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";

const NONE_PROVEN =
  'No skill is proven, so nothing is installed. "limbeck lift" proves one; --force installs one that is named as it is.';

const view =
  (done: string, none: string) =>
  ({ print, note, style }: Invocation) => ({
    event: ({ event, path, change, diff }: Record<"event" | "path" | "change" | "diff", string>) => {
      if (event === "problem")
        note(`! ${cleanLine(path)} was changed by hand since it was installed, and is left as it is.`);
      if (event !== "file") return;
      print(`${change} ${style.bold(cleanLine(path))}`);
      for (const text of diff.split("\n")) {
        const line = `  ${text.slice(0, 1)} ${cleanLine(text.slice(1))}`;
        print(text.startsWith("+") ? style.green(line) : text.startsWith("-") ? style.red(line) : style.dim(line));
      }
    },
    result: (outcome: CarriedOut) => {
      if (outcome === "none") print(NONE_PROVEN);
      else if (outcome === "nothing to do") print(none);
      else if (outcome === "refused") print("Nothing was changed.");
      else if (outcome !== "shown") print(`${done}: ${plural(outcome.changed, "file")}.`);
    },
  });

export const showInstalled = view("Installed", "Everything is installed as it is.");
export const showUninstalled = view("Taken back", "Nothing is installed.");
