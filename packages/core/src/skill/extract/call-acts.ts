/**
 * What calls of tools do, in words that are the same in every agent's program: a file is read, edited or written, something is
 * searched, fetched or run. What a call carries beside that (code, explanations, folders of a machine) belongs to its session.
 * Any other tool is itself, with its arguments.
 */
import { isObject, type Json } from "limbeck-base/base/json";
import type { ToolCall, Trajectory } from "limbeck-base/trajectory/trajectory";

export type Deed = "read" | "edit" | "write" | "search" | "fetch" | "run" | "call";

export interface Act {
  readonly deed: Deed;
  readonly tool: string;
  /** The file, the command, what is looked for. */
  readonly about: string;
  /** How a shell was given it, where one was. */
  readonly command?: string;
  /** Arguments of any other tool, in the order of their names. */
  readonly given: readonly (readonly [name: string, value: string])[];
  readonly step: number;
}

const FILE = /^(?:file_?path|path|absolute_?path|file|file_?name|notebook_?path|target_?file|relative_?path|uri)$/i;
const COMMAND = /^(?:command|cmd|script|commands)$/i;
const SOUGHT = /^(?:pattern|query|regex|glob|glob_?pattern)$/i;
/** What belongs to the session, or only says how much is shown. */
const ASIDE =
  /^(?:old_?(?:str|string|text)|new_?(?:str|string|text|source)|contents?|text|file_?text|edits|diff|patch|input|insert_?(?:line|text)|view_?range|description|explanation|justification|prompt|instructions?|format|work_?dir|cwd|dir(?:ectory)?|timeout(?:_?ms)?|yield_?time_?ms|max_?(?:output_?)?tokens|login|shell|tty|is_?background|run_?in_?background|with_?escalated_?permissions|sandbox_?permissions|replace_?all|expected_?replacements|allow_?multiple|offset|limit|start_?line|end_?line|include(?:_?pattern)?|exclude|type|output_?mode|head_?limit|multiline|case_?sensitive|is_?regexp|max_?results|-[a-zA-Z]|cell_?(?:id|type|number)|edit_?mode)$/i;

const VERBS: readonly (readonly [Deed, RegExp])[] = [
  ["search", /grep|search|find|glob|(?:^|_)(?:ls|list)(?:_|$)/i],
  ["edit", /edit|replace|patch|insert|update/i],
  ["write", /write|create|save/i],
  ["read", /read|view|open|cat|show/i],
];

/** Everything that the session did with tools, in order. */
export function actsOf({ steps, info }: Trajectory): Act[] {
  const folder = folderOf(info);
  return steps.flatMap(({ reply, index }) =>
    (reply?.toolCalls ?? []).flatMap((call) => actsOfCall(call, folder).map((act) => ({ ...act, step: index }))),
  );
}

/** Where the session was at work. */
export function folderOf(info: Trajectory["info"]): string | undefined {
  const session = info?.["session"];
  return isObject(session) && typeof session["cwd"] === "string" ? session["cwd"] : undefined;
}

type Loose = Omit<Act, "step">;

function actsOfCall({ name: tool, arguments: given }: ToolCall, folder: string | undefined): Loose[] {
  const made = (deed: Deed, about: string, command?: string): Loose => ({
    deed,
    tool,
    about: fromFolder(about, folder),
    given: [],
    ...(command === undefined ? {} : { command: fromFolder(command, folder) }),
  });
  const patch = patchOf(given);
  if (patch !== undefined) return patchedFiles(patch).map(([deed, path]) => made(deed, path));
  if (typeof given === "string") return [made("call", oneLine(given))];
  const fields = Object.entries(given);
  const find = (names: RegExp): Json | undefined => fields.find(([name]) => names.test(name))?.[1];
  const isPlain = fields.every(([name]) => [FILE, COMMAND, SOUGHT, ASIDE, /^urls?$/i].some((one) => one.test(name)));
  const [command, file, sought, url] = [find(COMMAND), find(FILE), find(SOUGHT), find(/^url$/i)];
  if (isPlain && command !== undefined && file === undefined) {
    const line = unwrapped(command);
    return line === "" ? [] : [ofCommand(line, made)];
  }
  // Anthropic's own editor names what it does in an argument.
  const verb = typeof command === "string" ? command : tool;
  const deed = VERBS.find(([, names]) => names.test(verb))?.[0];
  if (isPlain && deed === "search" && typeof sought === "string") return [made("search", oneLine(sought))];
  if (isPlain && deed !== undefined && typeof file === "string") return [made(deed, oneLine(file))];
  if (isPlain && typeof url === "string") return [made("fetch", oneLine(url))];
  const all = fields
    .map(([name, value]) => [name, fromFolder(oneLine(textOf(value)), folder)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return [{ deed: "call", tool, about: "", given: all }];
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const LONGEST = 200;

function oneLine(text: string): string {
  const line = text.normalize("NFC").replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}

/** Paths below the session's folder as they are from there. */
export function fromFolder(text: string, folder: string | undefined): string {
  if (folder === undefined || folder.length < 2) return text;
  const slashed = folder.replace(/[/\\]+$/, "");
  return text.replaceAll(`${slashed}/`, "").replaceAll(`${slashed}\\`, "").replaceAll(slashed, ".");
}

function patchOf(given: ToolCall["arguments"]): string | undefined {
  const texts = typeof given === "string" ? [given] : Object.values(given).flat();
  return texts.find((text): text is string => typeof text === "string" && text.includes("*** Begin Patch"));
}

function patchedFiles(patch: string): (readonly [Deed, string])[] {
  const found = [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)];
  return found.map(([, what, path = ""]) => [what === "Add" ? "write" : "edit", path.trim()] as const);
}

/** The line that a shell ran: without the shell, the way to the folder, and the cutting of what it printed. */
function unwrapped(command: Json): string {
  const words = Array.isArray(command) ? command.filter((word) => typeof word === "string") : [];
  const isShell = /(?:^|[/\\])(?:ba|z|da|k)?sh$|(?:pwsh|powershell|cmd)(?:\.exe)?$/.test(words[0] ?? "");
  const line = typeof command === "string" ? command : isShell ? (words.at(-1) ?? "") : words.join(" ");
  const bare = line
    .replace(/^\s*(?:\/\w+)*\/?(?:ba|z)?sh -l?c (["'])([\s\S]*)\1\s*$/, "$2")
    .replace(/^\s*cd [^&;|]+(?:&&|;)\s*/, "")
    .replace(/(?:\s*2>&1)?\s*\|\s*(?:tail|head|cat|less)\b[^|&;]*$/, "")
    .replace(/\s*2>&1\s*$/, "");
  return oneLine(bare);
}

const SHOWS = /^(?:cat|bat|less|more|nl|head|tail|sed -n|type|Get-Content)\b/;
const SEEKS = /^(?:rg|grep|ag|ack|git grep|fd|find|findstr|Select-String)\b/;

/** A command that only reads one file, looks for something or fetches an address is that. */
function ofCommand(line: string, made: (deed: Deed, about: string, command?: string) => Loose): Loose {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? "",
  );
  const isOne = !/[|;&<>]/.test(line);
  const rest = words.slice(1).filter((word) => !word.startsWith("-") && !/^\d+(?:,\d+)?p?$/.test(word));
  if (isOne && SHOWS.test(line) && rest.length === 1) return made("read", rest[0] ?? "", line);
  if (isOne && SEEKS.test(line) && rest.length > 0)
    return made("search", rest.filter((word) => word !== "." && word !== "grep").join(" "), line);
  const url = rest.find((word) => /^https?:/.test(word));
  if (
    isOne &&
    /^(?:curl|wget)\b/.test(line) &&
    url !== undefined &&
    rest.length === 1 &&
    !/ -(?:d|X|F|T|-data|-post)/.test(line)
  )
    return made("fetch", url, line);
  return made("run", line, line);
}
