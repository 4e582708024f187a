/** Drafts from what agents did with their tools, as a person would write them down: what is asked, and the steps in their order. */
import { groupedBy } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { succeeded } from "../statistics/transitions.ts";
import { callWay, type CallStep, type CallWay } from "./call-ways.ts";
import type { ShapeGroup } from "./goal-shapes.ts";
import { draft, type Drafted } from "./way-drafts.ts";
import { ASKED } from "./words.ts";

export function draftsOfCalls(group: ShapeGroup, share?: number): Drafted {
  const nothing = new Map<string, string>();
  const tasks = groupedBy(group.members, ({ trajectory }) => trajectory.task.id);
  for (const own of tasks.values()) {
    if (own.some(({ trajectory }) => succeeded(trajectory))) continue;
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

function textOf(shape: string, { steps, leftOut }: CallWay): string {
  const isOneProgram = steps.every(({ said }) => new Set(said.map(({ tool }) => tool)).size === 1);
  const lines = steps.map((step, at) => `${at + 1}. ${isOneProgram ? inTool(step) : inWords(step)}`);
  const who = leftOut?.all === true ? "The sessions that failed" : "Most sessions that failed";
  const warning = leftOut === undefined ? [] : [`${who} left out step ${leftOut.step + 1}.`];
  return [`${ASKED} ${shape}`, ...lines, ...warning].join("\n");
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
