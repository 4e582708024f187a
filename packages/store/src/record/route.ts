/** Reads an address of the proxy: who calls (ids in the path or in headers), and which endpoint is meant. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { CallScope } from "limbeck-recorder/call-book";

export interface Route {
  /** The path without the ids, with its query. */
  readonly path: string;
  readonly scope: CallScope;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const NAMES = ["run", "task", "group", "agent", "caller"] as const;
type Name = (typeof NAMES)[number];
/** Headers with this beginning are ours and are not passed on. */
export const HEADER_PREFIX = "x-limbeck-";
const LONGEST_ID = 500;

/**
 * `/run/7/task/greet/v1/chat/completions`, or the same ids as `x-limbeck-run: 7`; the path has the last word. An id is
 * what people see in lists and type, so control characters are refused; line breaks, which tasks named by their text
 * have, are not.
 */
export function readRoute(url: string, headers: Headers): Route {
  const given = new Map<Name, string>();
  for (const name of NAMES) {
    const value = headers[`${HEADER_PREFIX}${name}`];
    if (typeof value === "string" && value !== "") given.set(name, value.slice(0, LONGEST_ID));
  }
  let path = url;
  for (let match = segment(path); match !== null; match = segment(path)) {
    const [whole, name, value = ""] = match;
    given.set(name as Name, decoded(value).slice(0, LONGEST_ID));
    path = path.slice(whole.length);
  }
  for (const [name, id] of given) {
    if (!/[^\P{Cc}\t\n\r]/u.test(id)) continue;
    throw new EngineError(
      "bad-id",
      `The ${name} ${JSON.stringify(id.slice(0, 100))} has a control character. An id has 1 to ${LONGEST_ID} letters, digits, signs, spaces, tabs and line breaks; use these alone.`,
    );
  }
  const [run, task, group, agent, caller] = NAMES.map((name) => given.get(name));
  return {
    path: path === "" ? "/" : path,
    scope: {
      ...(run === undefined ? {} : { trajectory: run }),
      ...(task === undefined ? {} : { task: { id: task } }),
      ...withoutUndefined({ group, agent, caller }),
    },
  };
}

function segment(path: string): RegExpExecArray | null {
  return /^\/(run|task|group|agent|caller)\/([^/?#]+)(?=[/?#]|$)/.exec(path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
