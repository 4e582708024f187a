/** Drafts from what agents did with their tools, as a person would write them down: what is asked, and the steps in their order. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { hasSucceeded } from "../statistics/transitions.ts";
import { callWay, type CallStep, type CallWay } from "./call-ways.ts";
import type { ShapeGroup } from "./goal-shapes.ts";
import { draft, type Drafted } from "./way-drafts.ts";
import { ASKED } from "./words.ts";

export function draftsOfCalls(group: ShapeGroup, share?: number): Drafted {
  const nothing = new Map<string, string>();
  const tasks = groupedBy(group.members, ({ trajectory }) => trajectory.task.id);
  for (const own of tasks.values()) {
    if (own.some(({ trajectory }) => hasSucceeded(trajectory))) continue;
    for (const { trajectory } of own) nothing.set(trajectory.id, "nobody succeeded in its task");
  }
  const way = callWay(group, share);
  if (way === undefined || way.steps.every(({ about }) => about === "")) return { drafts: [], nothing };
  const cited = new Set(way.links.map(({ trajectory }) => trajectory));
  const shown = group.members.flatMap(({ trajectory }) => (cited.has(trajectory.id) ? [taskOf(trajectory)] : []));
  return {
    drafts: [draft("task", textOf(group.shape, way), [group.shape], way.links, new Set(shown).size)],
    nothing,
  };
}

/** The task that a session was at. What a mark of the redactor hides may be another thing in every session. */
export function taskOf({ id, task }: Trajectory): string {
  return /\[redacted/i.test(task.goal) ? id : task.id;
}

function textOf(shape: string, way: CallWay): string {
  const lines = sayCalls(way).map((step, at) => `${at + 1}. ${step}`);
  return [`${ASKED} ${shape}`, ...lines, ...warningOf(way)].join("\n");
}

/** The steps in the words of the program that made them, or of none where several did. */
export function sayCalls({ steps }: Pick<CallWay, "steps">): string[] {
  const isOneProgram = steps.every(({ said }) => new Set(said.map(({ tool }) => tool)).size === 1);
  return steps.map(isOneProgram ? inTool : inWords);
}

/** Of two failures or more, what most of them left out first. */
function warningOf({ failed }: CallWay): string[] {
  const steps = groupedBy(failed, ({ missing }) => missing);
  const found = [...steps].find(([step, own]) => step !== -1 && own.length > 1 && 2 * own.length > failed.length);
  if (found === undefined) return [];
  const who = found[1].length === failed.length ? "The sessions that failed" : "Most sessions that failed";
  return [`${who} left out step ${found[0] + 1}.`];
}

const FILES = "the files concerned";

/** As the one program that did it has it. */
function inTool({ deed, about, said }: CallStep): string {
  const tool = said[0]?.tool ?? "";
  if (deed === "run") return `${tool} \`${about}\``;
  if (!said.some(({ isCommand }) => isCommand)) return `${tool} ${about === "" ? FILES : about}`;
  const texts = groupedBy(said, ({ text }) => text);
  const [usual = "", times = []] = [...texts].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  if (2 * times.length > said.length && about !== "") return `${tool} \`${usual}\``;
  const program = said[0]?.text.split(" ")[0] ?? "";
  return `${tool} \`${program} ${about === "" ? "…" : about}\``;
}

const WORDS = {
  read: "Read",
  edit: "Edit",
  write: "Write",
  search: "Search for",
  fetch: "Fetch",
  run: "Run",
  call: "Call",
};

/** In words that hold for several programs. */
function inWords({ deed, about, said }: CallStep): string {
  if (deed === "call") return `${said[0]?.tool ?? ""} ${about}`.trim();
  return `${WORDS[deed]} ${deed === "run" ? `\`${about}\`` : about === "" ? FILES : about}`;
}
