/**
 * Kinds of requests to agents that call tools. Requests that are equal but for values (paths, addresses, quotations, symbols,
 * numbers, and words that the agents then acted on) are of one kind, whether they succeeded or failed. A value that differs is
 * a place; one that is the same in all of them stays, unless it is personal: a mark of the redactor, an address, a path
 * that begins at the root of a machine.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { hasSucceeded } from "../statistics/transitions.ts";
import { callWay } from "./call-ways.ts";
import { fitShape, type ShapeGroup } from "./goal-shapes.ts";
import { goalText, isDense, type Piece, piecesOf } from "./goal-tokens.ts";
import { calledText } from "./recorded-moves.ts";
import { isFunctionWord, wordSet } from "./words.ts";

interface Request {
  readonly trajectory: Trajectory;
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** Everything that its calls were given, in lower case. */
  readonly acted: string;
}

/** Groups of one kind, in order of appearance. */
export function groupCalls(trajectories: readonly Trajectory[]): ShapeGroup[] {
  const requests = trajectories.map((trajectory): Request => {
    const text = goalText(trajectory.task.goal);
    return { trajectory, text, pieces: piecesOf(text), acted: calledText(trajectory).toLowerCase() };
  });
  const things = actedWords(requests);
  const mayBePlace = (piece: Piece, at: number): boolean =>
    piece.kind === "word" ? at > 0 && things.has(piece.value.toLowerCase()) : piece.kind !== "sign";
  const alike = groupedBy(requests, (request) => skeleton(request, mayBePlace));
  const kinds = [...alike.values()].flatMap((group) => kindsOf(group, mayBePlace));
  return withInstances(withFreeWords(kinds, mayBePlace).map(shapeOfKind));
}

/** Words of a request that its own session gave to a tool; that alone makes no place of them. */
function actedWords(requests: readonly Request[]): Set<string> {
  const found = new Set<string>();
  for (const { pieces, acted } of requests) {
    for (const { kind, value } of pieces) {
      const word = value.toLowerCase();
      if (kind === "word" && !found.has(word) && !isFunctionWord(word) && holds(acted, word)) found.add(word);
    }
  }
  return found;
}

function holds(text: string, word: string): boolean {
  const isPart = (letter: string | undefined): boolean => /[\p{L}\p{N}]/u.test(letter ?? " ");
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (isDense(word) || (!isPart(text[at - 1]) && !isPart(text[at + word.length]))) return true;
  return false;
}

type MayBePlace = (piece: Piece, at: number) => boolean;

/** The text with all its values taken out, quotes with them; requests of one skeleton have their pieces at the same places. */
function skeleton({ text, pieces }: Request, mayBePlace: MayBePlace): string {
  let said = "";
  let from = 0;
  for (const [at, piece] of pieces.entries()) {
    if (!mayBePlace(piece, at)) continue;
    const [open = "", close = ""] = piece.quotes ?? [];
    said += `${text.slice(from, piece.start - open.length)}\u0000`;
    from = piece.end + close.length;
  }
  return `${pieces.length} ${said}${text.slice(from)}`.toLowerCase().replace(/[\s.。]+$/u, "");
}

/** Requests with their places, by the number of the piece. */
interface Kind {
  readonly requests: readonly Request[];
  readonly places: readonly number[];
}

/** Requests of one skeleton, apart where a word that differs is no value. */
function kindsOf(group: readonly Request[], mayBePlace: MayBePlace): Kind[] {
  const [first] = group;
  if (first === undefined) return [];
  const candidates = first.pieces.flatMap((piece, at) => (mayBePlace(piece, at) ? [at] : []));
  const parting = candidates.find((at) => differs(group, at) && !isValue(group, at));
  if (parting !== undefined) {
    const parts = groupedBy(group, ({ pieces }) => pieces[parting]?.value.toLowerCase());
    return [...parts.values()].flatMap((part) => kindsOf(part, (piece, at) => at !== parting && mayBePlace(piece, at)));
  }
  const single = candidates.every((at) => !differs(group, at));
  const isAlone = (at: number): boolean => group.length === 1 && isValueAlone(first.pieces[at] as Piece);
  const places = candidates.filter((at) => isPlace(group, at) || (single && isAlone(at)));
  return [{ requests: group, places }];
}

/** What differs, and what is personal. */
function isPlace(group: readonly Request[], at: number): boolean {
  return differs(group, at) || group.some(({ pieces }) => isPrivate(pieces[at] as Piece));
}

function valueAt({ pieces }: Request, at: number): string {
  return pieces[at]?.value ?? "";
}

function differs(group: readonly Request[], at: number): boolean {
  return new Set(group.map((request) => valueAt(request, at))).size > 1;
}

/** Somebody's own, whatever it is in the others. */
function isPrivate({ kind, value }: Piece): boolean {
  return kind === "mark" || kind === "email" || (kind === "path" && /^(?:[/~\\]|[A-Za-z]:[\\/])/.test(value));
}

/** Where there is only one session, what is a value by its nature. */
function isValueAlone({ kind }: Piece): boolean {
  return kind !== "word" && kind !== "sign";
}

/**
 * Paths and their like are. A word is, where each session acts on its own word and not on those of the others: "test" and "build"
 * stand in everybody's commands, "cart" only where the cart is asked for.
 */
function isValue(group: readonly Request[], at: number): boolean {
  if (group.some(({ pieces }) => pieces[at]?.kind !== "word")) return true;
  const values = new Set(group.map((request) => valueAt(request, at).toLowerCase()));
  let [own, others] = [0, 0];
  for (const request of group) {
    if (holds(request.acted, valueAt(request, at).toLowerCase())) own += 1;
  }
  for (const value of values) {
    const strangers = group.filter((request) => valueAt(request, at).toLowerCase() !== value);
    const acting = strangers.filter(({ acted }) => holds(acted, value));
    if (2 * acting.length > strangers.length) others += 1;
  }
  return 2 * own >= group.length && others === 0;
}

const MOST_PIECES = 30;
const LEAST_VALUES = 3;
const MOST_TRIED = 1000;

/**
 * Words that were never given to a tool can be values too: "add the field total to src/cart.ts". Three requests or more that differ in
 * one or two words, and say enough beside them, are of one kind where most successes went the same way; two requests
 * where they say more, and all went the same way in more than one step.
 */
function withFreeWords(kinds: readonly Kind[], mayBePlace: MayBePlace): Kind[] {
  const alike = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const [first] = kind.requests as readonly [Request, ...Request[]];
    if (first.pieces.length > MOST_PIECES) continue;
    const acted = first.pieces.flatMap((piece, at) => (mayBePlace(piece, at) ? [at] : []));
    for (const places of new Set([kind.places, [...new Set([...kind.places, ...acted])]])) {
      for (const free of freeChoices(first, places)) {
        const open = new Set([...places, ...free]);
        const key = skeleton(first, (_, at) => open.has(at));
        const parts = alike.get(key) ?? [];
        alike.set(key, parts);
        if (parts.at(-1)?.requests !== kind.requests) parts.push({ ...kind, places: [...open].sort((x, y) => x - y) });
      }
    }
  }
  const joined: Kind[] = [];
  const gone = new Set<readonly Request[]>();
  const tried = [...alike.values()]
    .filter((parts) => parts.length > 1)
    .sort((one, other) => other.length - one.length || (one[0]?.places.length ?? 0) - (other[0]?.places.length ?? 0));
  const seen = new Set<string>();
  for (const parts of tried) {
    const left = parts.filter(({ requests }) => !gone.has(requests));
    const requests = left.flatMap((part) => part.requests);
    // The same requests come with every word that they have in common as well.
    const key = requests.map(({ trajectory }) => trajectory.id).join("\n");
    if (left.length < 2 || seen.has(key) || seen.size >= MOST_TRIED) continue;
    seen.add(key);
    const kind = { requests, places: (left[0]?.places ?? []).filter((at) => isPlace(requests, at)) };
    if (!isOneKind(kind)) continue;
    joined.push(kind);
    for (const part of left) gone.add(part.requests);
  }
  return [...kinds.filter(({ requests }) => !gone.has(requests)), ...joined];
}

/** No word, one word or two that no call was given. */
function freeChoices({ pieces }: Request, places: readonly number[]): number[][] {
  const words = pieces.flatMap(({ kind, value }, at) =>
    kind === "word" && at > 0 && !places.includes(at) && !isFunctionWord(value.toLowerCase()) ? [at] : [],
  );
  const pairs = words.flatMap((at) => words.filter((to) => to > at).map((to) => [at, to]));
  return [[], ...words.map((at) => [at]), ...pairs];
}

function isOneKind(kind: Kind): boolean {
  const { requests, places } = kind;
  const [first] = requests as readonly [Request, ...Request[]];
  const said = first.pieces.filter(
    ({ kind: is, value }, at) => is === "word" && !places.includes(at) && !isFunctionWord(value.toLowerCase()),
  );
  const words = places.filter((at) => requests.every(({ pieces }) => pieces[at]?.kind === "word"));
  const values = Math.min(...words.map((at) => new Set(requests.map((one) => valueAt(one, at))).size));
  const isFew = values < LEAST_VALUES;
  if (said.length < LEAST_WORDS + (isFew ? 1 : 0)) return false;
  const { links = [], steps = [] } = callWay(shapeOfKind(kind)) ?? {};
  const won = requests.filter(({ trajectory }) => hasSucceeded(trajectory)).length;
  return links.length > 1 && (isFew ? steps.length > 1 && links.length === won : 2 * links.length >= won);
}

/** Places that hold the same in every request are one; the wording is that of the first. */
function shapeOfKind({ requests: group, places }: Kind): ShapeGroup {
  const [first] = group as readonly [Request, ...Request[]];
  const numbers: number[] = [];
  for (const [index, at] of places.entries()) {
    const same = places.findIndex(
      (other, before) => before < index && group.every((one) => valueAt(one, at) === valueAt(one, other)),
    );
    numbers.push(same === -1 ? Math.max(0, ...numbers) + 1 : (numbers[same] as number));
  }
  // Quotes that not everybody writes belong to the value.
  const quotes = (request: Request, at: number): string => (request.pieces[at]?.quotes ?? []).join("\u0000");
  const isQuoted = (at: number): boolean => group.every((one) => quotes(one, at) === quotes(first, at));
  let shape = "";
  let from = 0;
  for (const [index, at] of places.entries()) {
    const piece = first.pieces[at] as Piece;
    const [open = "", close = ""] = isQuoted(at) ? [] : (piece.quotes ?? []);
    shape += `${first.text.slice(from, piece.start - open.length)}{${numbers[index]}}`;
    from = piece.end + close.length;
  }
  shape += first.text.slice(from);
  const members = group.map((request) => {
    const values: string[] = [];
    for (const [index, at] of places.entries()) values[(numbers[index] as number) - 1] = valueAt(request, at);
    return { trajectory: request.trajectory, values };
  });
  return { shape, members };
}

// Requests that are an instance of a wider kind: their sessions ended before they came to the value.

/**
 * "Upgrade jest from {1} to {2}" is an instance of "Upgrade {1} from {2} to {3}": that session gave up before it came to jest.
 * So is whatever else fits a kind that has more sessions: what a few of them show of their places, the many know better.
 */
function withInstances(kinds: readonly ShapeGroup[]): ShapeGroup[] {
  const homes = kinds
    .filter(({ members }) => members.length > 1 && placesOf(members) > 0)
    .map((kind) => ({ kind, members: [...kind.members] }))
    .sort((one, other) => other.members.length - one.members.length);
  const joined = new Set<ShapeGroup>();
  for (const kind of kinds) {
    const home = homes.find(
      (other) =>
        other.kind !== kind &&
        !joined.has(other.kind) &&
        isWider(other.kind, kind) &&
        kind.members.every(({ trajectory }) => isInstance(other.kind, trajectory.task.goal)),
    );
    if (home === undefined) continue;
    joined.add(kind);
    for (const { trajectory } of kind.members)
      home.members.push({ trajectory, values: fitShape(home.kind.shape, trajectory.task.goal) ?? [] });
  }
  const grown = new Map(homes.map(({ kind, members }) => [kind, members]));
  return kinds
    .filter((kind) => !joined.has(kind))
    .map((kind) => ({ ...kind, members: grown.get(kind) ?? kind.members }));
}

function placesOf(members: ShapeGroup["members"]): number {
  return members[0]?.values.length ?? 0;
}

function isWider(one: ShapeGroup, other: ShapeGroup): boolean {
  const more = one.members.length - other.members.length;
  return more > 0 || (more === 0 && placesOf(one.members) > placesOf(other.members));
}

/** Words beside its places by which a request is known. */
const LEAST_WORDS = 3;

/** They stand before a thing or for one, and are none. */
const POINTING =
  /^(?:an?|the|my|our|your|their|its?|this|that|these|those|them|all|any|some|every|each|everything|me|us)$/i;

/** Where no other request had a plain word in the place, the rest of the request must say enough to know it by. */
function isInstance({ shape, members }: ShapeGroup, goal: string): boolean {
  const values = fitShape(shape, goal);
  if (values === undefined || values.some((value) => POINTING.test(value))) return false;
  const isWord = (value: string | undefined): boolean => /^[\p{L}\p{M}-]+$/u.test(value ?? "");
  const said = wordSet(shape.replaceAll(/\{\d+\}/g, " "));
  if ([...said].filter((word) => !isFunctionWord(word)).length >= LEAST_WORDS) return true;
  return values.every((value, at) => !isWord(value) || members.some((member) => isWord(member.values[at])));
}
