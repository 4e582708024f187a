/**
 * The way that sessions of one kind of request took: the calls that most successful sessions made, in their order, with the
 * places of the request where its values stood. Sessions that succeeded in another way do not speak for it, and only those that
 * made all of these calls in this order are its evidence.
 */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Link } from "../library/library-skill.ts";
import { hasSucceeded } from "../statistics/transitions.ts";
import { type Act, actsOf } from "./call-acts.ts";
import { escapeForPattern, type ShapeGroup } from "./goal-shapes.ts";
import { jaccard } from "./words.ts";

export interface CallStep {
  readonly deed: Act["deed"];
  /** What it is about, with places; empty where every session had something else there. */
  readonly about: string;
  /** The wording of each cited session, with its tool. */
  readonly said: readonly { readonly tool: string; readonly text: string; readonly isCommand: boolean }[];
}

export interface CallWay {
  readonly steps: readonly CallStep[];
  readonly links: readonly Link[];
  /** Sessions that failed, with the first step, counted from 0, that each of them left out; -1 where it made them all. */
  readonly failed: readonly { readonly trajectory: Trajectory; readonly missing: number }[];
}

interface PlacedAct {
  readonly act: Act;
  readonly text: string;
  /** From what is most exact to what many have. */
  readonly forms: readonly string[];
}

interface Session {
  readonly trajectory: Trajectory;
  readonly won: boolean;
  readonly told: readonly PlacedAct[];
}

const ALIKE = 0.5;

/** Undefined where no session succeeded, or the successes have nothing in common. */
export function callWay(group: ShapeGroup, share = 0.6): CallWay | undefined {
  const sessions = group.members.map(({ trajectory, values }): Session => {
    const acts = actsOf(trajectory);
    return {
      trajectory,
      won: hasSucceeded(trajectory),
      told: acts.map((act) => tell(act, values)),
    };
  });
  const winners = largestCluster(
    sessions.filter(({ won }) => won),
    commonForms(sessions, Math.min(2, sessions.length)),
  );
  const common = commonForms(winners, Math.max(share * winners.length, Math.min(2, sessions.length)));
  // Where only one succeeded, what it ran may be why; which files it looked at is its own, unless others did so too.
  const [only] = winners.length === 1 ? winners : [];
  const ran = (only?.told ?? []).flatMap(({ act, forms }) => (act.deed === "run" ? forms.slice(0, 1) : []));
  const shared =
    only === undefined ? common : new Set([...commonForms(sessions, Math.min(2, sessions.length)), ...ran]);
  const way = usualOrder(
    winners.map((session) => keysOf(session, shared)),
    share,
  );
  if (way.length === 0) return undefined;
  const evidence = sessions.flatMap((session) => {
    const found = session.won ? follow(session, way) : undefined;
    return found === undefined ? [] : [{ session, found }];
  });
  if (evidence.length === 0) return undefined;
  return {
    steps: way.map((key, at) => ({
      ...partsOf(key),
      said: evidence.map(({ found }) => {
        const { act, text } = found[at] as PlacedAct;
        return { tool: act.tool, text, isCommand: act.command !== undefined };
      }),
    })),
    links: evidence.map(({ session, found }) => ({
      trajectory: session.trajectory.id,
      steps: [...new Set(found.map(({ act }) => act.step))],
    })),
    failed: sessions
      .filter(({ won }) => !won)
      .map(({ trajectory, told }) => ({
        trajectory,
        missing: way.findIndex((key) => !told.some(({ forms }) => forms.includes(key))),
      })),
  };
}

const SEPARATOR = "\u0000";

function partsOf(key: string): Pick<CallStep, "deed" | "about"> {
  const [deed = "", , about = ""] = key.split(SEPARATOR);
  return { deed: deed as Act["deed"], about };
}

/** An act in the words of the request. A file that is named after the request is its place, wherever it lies. */
function tell(act: Act, values: readonly string[]): PlacedAct {
  const form = (about: string): string => [act.deed, act.deed === "call" ? act.tool : "", about].join(SEPARATOR);
  const about = placedText(act.about, values);
  if (act.deed === "call") {
    const given = act.given.map(([name, value]) => [name, placedText(value, values)] as const);
    const full = given.length === 0 ? about : given.map(([name, value]) => `${name}=${value}`).join(" ");
    const loose = given.map(([name, value]) => `${name}=${/\{\d+\}/.test(value) ? value : "…"}`).join(" ");
    return { act, text: full, forms: [full, ...(given.length === 0 ? [] : [loose])].map(form) };
  }
  const text = act.command === undefined ? about : placedText(act.command, values);
  const looser = looserForms(act.deed, about);
  return { act, text, forms: [about, ...looser].filter((one) => !isOwn(one)).map(form) };
}

/** What names a folder of one machine. */
function isOwn(text: string): boolean {
  return /(?:^|[\s"'=(])(?:\/(?:home|Users|root|tmp|var|private|srv|opt|mnt|media|workspaces?)\/|~\/|[A-Za-z]:[\\/])/.test(
    text,
  );
}

function looserForms(deed: Act["deed"], about: string): string[] {
  // "A file was edited" is informative; "something was searched" is not.
  if (deed === "search" || deed === "fetch") return [];
  if (deed !== "run") return [...(/(?:^|[/\\])(\{\d+\})$/.exec(about)?.slice(1) ?? []), ""];
  const words = about.split(" ");
  const end = words.findIndex((word, at) => at > 0 && !/^[a-z][a-z0-9:-]*$/.test(word));
  const head = words.slice(0, Math.min(end === -1 ? 3 : end, 3));
  return head.length < 2 || head.length === words.length ? [] : [`${head.join(" ")} …`];
}

/** Forms that so many of the sessions have. */
function commonForms(sessions: readonly Session[], least: number): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { told } of sessions)
    for (const form of new Set(told.flatMap(({ forms }) => forms))) counts.set(form, (counts.get(form) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= least).map(([form]) => form));
}

/** The acts of a session that others have too, each in its most exact form; the same again and again is one. */
function keysOf({ told }: Session, common: ReadonlySet<string>): string[] {
  const keys = told.flatMap(({ forms }) => forms.find((form) => common.has(form)) ?? []);
  return keys.filter((key, at) => key !== keys[at - 1]);
}

/** Those who went the way that most went. */
function largestCluster(sessions: readonly Session[], common: ReadonlySet<string>): Session[] {
  const sets = sessions.map((session) => new Set(keysOf(session, common)));
  const clusters = sets.map((one) =>
    sessions.filter((_, at) => sets[at] === one || jaccard(one, sets[at] as ReadonlySet<string>) >= ALIKE),
  );
  return clusters.reduce((best, cluster) => (cluster.length > best.length ? cluster : best), []);
}

/** The longest of the ways that enough of them contain; else what most contain. */
function usualOrder(ways: readonly (readonly string[])[], share: number): readonly string[] {
  const containing = (way: readonly string[]): number => ways.filter((other) => contains(other, way)).length;
  const counted = ways.map((way) => ({ way, count: containing(way) }));
  const usual = counted.filter(({ count }) => count >= share * ways.length);
  const most = Math.max(0, ...counted.map(({ count }) => count));
  const [first] = (usual.length > 0 ? usual : counted.filter(({ count }) => count === most)).toSorted(
    (one, other) => other.way.length - one.way.length || other.count - one.count,
  );
  return first?.way ?? [];
}

function contains(keys: readonly string[], way: readonly string[]): boolean {
  let at = 0;
  for (const key of keys) if (key === way[at]) at += 1;
  return at === way.length;
}

/** The acts by which a session went this way, if it did. */
function follow({ told }: Session, way: readonly string[]): PlacedAct[] | undefined {
  const found: PlacedAct[] = [];
  for (const one of told) if (one.forms.includes(way[found.length] ?? "")) found.push(one);
  return found.length === way.length ? found : undefined;
}

// Values of a request inside what was done: a path with or without its line, a name inside the name of a file.

/** "src/cart.ts:42" speaks of src/cart.ts. */
function withoutLine(value: string): string {
  return value.replace(/(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$/, "");
}

/** The text with the values of the request as its places, the longest first. */
function placedText(text: string, values: readonly string[]): string {
  const known = values
    .flatMap((value, at) => formsOf(value).map((form) => ({ form, place: `{${at + 1}}` })))
    .filter(({ form }) => form !== "")
    .sort((one, other) => other.form.length - one.form.length);
  if (known.length === 0 || text === "") return text;
  // A path that ends in the value is the value: where it begins is the machine's.
  for (const { form, place } of known) {
    const isPath = /[/\\.]/.test(form);
    if (
      isPath &&
      /^(?:[/~]|[A-Za-z]:[\\/])\S*$/.test(text) &&
      text.replaceAll("\\", "/").endsWith(`/${form.replaceAll("\\", "/")}`)
    )
      return place;
  }
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${known.map(({ form }) => escapeForPattern(form)).join("|")})(?![\\p{L}\\p{N}])`,
    "gu",
  );
  return text.replaceAll(pattern, (found) => known.find(({ form }) => form === found)?.place ?? found);
}

/** Redacted values stand nowhere else as they were. */
function formsOf(value: string): string[] {
  const bare = withoutLine(value).replace(/^\.\//, "");
  return [...new Set([value, bare, bare.replaceAll("\\", "/")])];
}
