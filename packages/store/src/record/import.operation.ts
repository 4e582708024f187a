/** `limbeck import`: trajectories from files into a new run. */
import { defineOperation } from "limbeck-base/base/operation";
import { importEvents, importInputs, type ImportShows } from "./import.inputs.ts";

/** Brings trajectories from files into a new run. */
export const importFiles = defineOperation({
  name: "import",
  group: "data",
  summary: "Bring trajectories from files, or the sessions of an agent, into a new run",
  usage: "[FILE…] [--from PROGRAM] [--format F] [--run ID] [--lenient] [--yes]",
  description:
    "The format is found from the file's name and first bytes where --format does not name it; --format lists them below. Files are streamed, so size does not matter.\n" +
    "--from names a program whose sessions are read: claude-code, codex, opencode, gemini-cli, pi, copilot-chat and others. Without a FILE its usual folder is looked up, what is there is said, and you are asked first; --yes answers. Keys and e-mail addresses are taken out before anything is stored. What cannot be read is left out and said. A session that went on since the last import is continued, not stored twice.\n" +
    "A file whose content the store has already, read to its end in the same format, is left out, and that is said.\n" +
    "A fault stops the import and names file and line; what was read before it is kept. With --lenient faulty records are left out and reported.",
  input: importInputs,
  rules: [{ never: ["from", "format"], say: "--from and --format both name a format; give one." }],
  examples: [
    "limbeck import --from claude-code",
    "limbeck import chats.jsonl",
    "limbeck import logs/*.json --format atif --run agents-may",
    "limbeck import dump.jsonl --lenient --json",
  ],
  events: importEvents,
  shows: undefined as ImportShows | undefined,
  run: async (given, context) => await (await import("./importing/read-into.ts")).importInto(given, context),
});
