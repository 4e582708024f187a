/** The command of a claim as words, and as the smallest run of itself. */
import { type CommandTable } from "../../packages/limbeck/src/cli/command.ts";
import { checkWords, parseWords } from "../../packages/limbeck/src/cli/parse.ts";
import type { RunClaim } from "../../packages/limbeck/src/cli/catalog/catalog.ts";

/** What makes a command small, before its own words, which win. */
const SMALLEST: Readonly<Record<string, string>> = {
  train:
    "--steps 1 --report-tasks 1 --validate-every 0 --threads 1 --set tasks=1 --set group=4 --set maxSteps=4 --set answerTokens=12",
  rollout: "--count 1 --threads 1",
  search: "--tasks 1 --threads 1",
  sft: "--steps 1 --threads 1",
};

/** Options that make a command tell instead of run. */
const TELLING = ["help", "version", "settings", "schema"] as const;

/** Each command of the line, as its words without "limbeck"; quotes hold words together as in a shell. */
export function commandsOf(line: string): string[][] {
  return line.split(" && ").map((one) => {
    const words = [...one.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    return words[0] === "limbeck" ? words.slice(1) : [];
  });
}

/** The further words go to the first command, and to others of its name. */
export function smallest({ command, small = "" }: Pick<RunClaim, "command" | "small">): string[][] {
  const all = commandsOf(command);
  return all.map(([name = "", ...rest]) => {
    const further = name === all[0]?.[0] ? split(small) : [];
    return [name, ...split(SMALLEST[name] ?? ""), ...rest, ...further];
  });
}

/** The command without its mechanism: further words for the first command and others of its name, or another command. */
export function switchedOff(
  { command, small }: Pick<RunClaim, "command" | "small">,
  off: string,
): Pick<RunClaim, "command" | "small"> {
  if (off.startsWith("limbeck ")) return { command: off, small };
  const lines = command.split(" && ");
  const [first] = commandsOf(command);
  const further = lines.map((line) => (commandsOf(line)[0]?.[0] === first?.[0] ? `${line} ${off}` : line));
  return { command: further.join(" && "), small };
}

const split = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** Why the command line does not run a mechanism; undefined where it does. */
export async function commandFault(line: string, commands: CommandTable): Promise<string | undefined> {
  for (const [at, words] of commandsOf(line).entries()) {
    try {
      const parsed = parseWords(words, commands);
      const command = parsed.name === undefined ? undefined : commands[parsed.name];
      if (parsed.name === undefined || command === undefined) return `"${line}" is no command of limbeck`;
      const runs = command.group === "learn" || command.group === "data";
      if (!runs || TELLING.some((option) => parsed.values.has(option)) || (at === 0 && parsed.name === "sql"))
        return `"${line}" tells about the mechanism and does not run it`;
      await checkWords(parsed.name, command, parsed);
    } catch (error) {
      return `"${line}" is refused: ${(error as Error).message}`;
    }
  }
  return undefined;
}
