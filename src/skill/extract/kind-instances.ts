/** Requests that are an instance of a wider kind: their sessions ended before they came to the value. */
import { fitShape, type ShapeGroup } from "./goal-shapes.ts";
import { isFunctionWord, wordSet } from "./words.ts";

/** "Upgrade jest from {1} to {2}" is an instance of "Upgrade {1} from {2} to {3}": that session gave up before it came to jest. */
export function withInstances(kinds: readonly ShapeGroup[]): ShapeGroup[] {
  const wider = kinds
    .filter(({ members }) => members.length > 1 && (members[0]?.values.length ?? 0) > 0)
    .map((kind) => ({ kind, members: [...kind.members] }))
    .sort((one, other) => other.members.length - one.members.length);
  const joined = new Set<ShapeGroup>();
  for (const kind of kinds) {
    const [first] = kind.members;
    const home = wider.find(
      (other) =>
        other.kind !== kind &&
        !joined.has(other.kind) &&
        (other.kind.members[0]?.values.length ?? 0) > (first?.values.length ?? 0) &&
        kind.members.every(({ trajectory }) => isInstance(other.kind, trajectory.task.goal)),
    );
    if (home === undefined) continue;
    joined.add(kind);
    for (const { trajectory } of kind.members)
      home.members.push({ trajectory, values: fitShape(home.kind.shape, trajectory.task.goal) ?? [] });
  }
  const grown = new Map(wider.map(({ kind, members }) => [kind, members]));
  return kinds
    .filter((kind) => !joined.has(kind))
    .map((kind) => ({ ...kind, members: grown.get(kind) ?? kind.members }));
}

/** Words beside its places by which a request is known. */
export const LEAST_WORDS = 3;

/** Where nobody else had a plain word in the place, the rest of the request must say enough to know it by. */
function isInstance({ shape, members }: ShapeGroup, goal: string): boolean {
  const values = fitShape(shape, goal);
  if (values === undefined || values.some((value) => isFunctionWord(value.toLowerCase()))) return false;
  const isWord = (value: string | undefined): boolean => /^[\p{L}\p{M}-]+$/u.test(value ?? "");
  const said = wordSet(shape.replaceAll(/\{\d+\}/g, " "));
  if ([...said].filter((word) => !isFunctionWord(word)).length >= LEAST_WORDS) return true;
  return values.every((value, at) => !isWord(value) || members.some((member) => isWord(member.values[at])));
}
