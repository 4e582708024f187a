/** Every entry of every registry in one form; what `limbeck methods`, `limbeck explain` and the docs read. */
import { EngineError } from "limbeck-base/base/errors";
import { unknownName } from "limbeck-base/base/registry";
import type { DeepTable } from "limbeck-base/base/option-table";
import type { EntryInfo } from "limbeck-base/base/method-info";
import type { LoadedPart } from "limbeck-base/base/parts/load-part";
import { allowedValues } from "limbeck-base/base/options";
import { needs, type Need } from "limbeck-core/credit/needs";
import type { Example } from "limbeck-core/credit/credit";
import { allCredits } from "limbeck-core/credit/registry";
import { contexts } from "limbeck-core/distill/contexts/index";
import { pairSources } from "limbeck-core/distill/pairs/index";
import { teachers } from "limbeck-core/distill/index";
import { envs } from "limbeck-worlds/index";
import { clipped } from "limbeck-core/objective/clipped";
import { allObjectives } from "limbeck-core/objective/registry";
import { allRecipes } from "limbeck-core/recipe/registry";
import { screens } from "limbeck-core/reward/screens/index";
import { allRewards } from "limbeck-core/reward/registry";
import { STRATEGY_METRIC } from "limbeck-core/rollout/effect";
import { allStrategies } from "limbeck-core/rollout/registry";
import { values } from "limbeck-core/search/values/index";
import { allSearches } from "limbeck-core/search/registry";
import { analysts } from "limbeck-core/skill/index";
import { providers } from "limbeck-core/update/providers/index";

interface MethodOption {
  readonly name: string;
  readonly default: unknown;
  readonly allowed: string;
  readonly meaning: string;
}

export interface Method extends EntryInfo {
  readonly id: string;
  readonly room: string;
  /** What it cannot do without, as fields. */
  readonly needs: readonly string[];
  /** What it needs sometimes, and when. */
  readonly mayNeed: Readonly<Record<string, string>>;
  readonly options: readonly MethodOption[];
  /** Settings that a training takes with it, as `miniBatches=2`. */
  readonly takes?: readonly string[];
  /** Whether it lives on ratios to the old policy, so that it takes several steps an update. */
  readonly ratios?: boolean;
  readonly file: string;
  readonly example?: Example;
  /** How it is known that a strategy did something, as a metric and what it counts. */
  readonly effect?: { readonly metric: string; readonly counts: string };
  /** A strategy that lives on tasks that come again. */
  readonly repeats?: true;
}

/** What registries have in common, and what only some of them have. */
interface Entry {
  readonly info: EntryInfo;
  readonly options: DeepTable;
  readonly needs?: readonly string[];
  readonly rowFields?: readonly string[];
  readonly mayNeed?: Readonly<Record<string, string>>;
  readonly mayUse?: Readonly<Record<string, string>>;
  readonly example?: Example;
  readonly ratios?: Readonly<Record<string, number>>;
  readonly clipScales?: boolean;
  readonly takes?: Readonly<Record<string, number>>;
  readonly effect?: { readonly name: string; readonly counts: string };
  readonly repeats?: boolean;
}

export interface Registry {
  readonly room: string;
  readonly entries: Readonly<Record<string, Entry>>;
  /** Where its files are in the repository; the room of the engine by default. */
  readonly folder?: string;
  /** The file of an entry, below the folder; its id by default. */
  readonly file?: (id: string) => string;
  readonly fieldOf?: (need: string) => string;
}

const ENGINE = "packages/core/src";

/** The methods: what makes, judges and learns from episodes. */
const METHODS: readonly Registry[] = [
  { room: "reward", entries: allRewards },
  { room: "credit", entries: allCredits, fieldOf: (need) => needs[need as Need].field },
  { room: "objective", entries: allObjectives },
  { room: "rollout", entries: allStrategies },
  { room: "search", entries: allSearches },
];

/** Every registry: the methods first, then what they are put together from and where they act. */
export async function registries(): Promise<readonly Registry[]> {
  const worlds = Object.entries(envs).map(async ([id, load]) => [id, await load()] as const);
  const settings = Object.entries(allRecipes).map(
    ([id, { info, settings: options }]) => [id, { info, options }] as const,
  );
  return [
    ...METHODS,
    { room: "value", entries: values, folder: `${ENGINE}/search/values` },
    { room: "screen", entries: screens, folder: `${ENGINE}/reward/screens` },
    { room: "pairs", entries: pairSources, folder: `${ENGINE}/distill/pairs` },
    { room: "context", entries: contexts, folder: `${ENGINE}/distill/contexts` },
    { room: "teacher", entries: teachers, folder: `${ENGINE}/distill` },
    { room: "analyst", entries: analysts, folder: `${ENGINE}/skill`, file: (id) => `${id}/${id}` },
    { room: "provider", entries: providers, folder: `${ENGINE}/update/providers` },
    { room: "recipe", entries: Object.fromEntries(settings) },
    {
      room: "env",
      entries: Object.fromEntries(await Promise.all(worlds)),
      folder: "packages/worlds/src",
      file: (id) => `${id}/index`,
    },
  ];
}

export function allMethods(): readonly Method[] {
  return METHODS.flatMap(entriesOf);
}

export async function allEntries(): Promise<readonly Method[]> {
  return (await registries()).flatMap(entriesOf);
}

export function entriesOf(registry: Registry): Method[] {
  const { room, entries, folder = `${ENGINE}/${room}`, file = (id) => id, fieldOf = (need) => need } = registry;
  return Object.entries(entries).map(([id, { info, options, needs: wanted = [], rowFields = [], ...rest }]) => ({
    id,
    room,
    ...info,
    needs: [...new Set([...wanted, ...rowFields].map(fieldOf))],
    mayNeed: Object.fromEntries(
      Object.entries(rest.mayNeed ?? rest.mayUse ?? {}).map(([need, when]) => [fieldOf(need), when]),
    ),
    options: optionRows(options),
    ...takenBy({ info, options, ...rest }),
    file: `${folder}/${file(id)}.ts`,
    ...(rest.example === undefined ? {} : { example: rest.example }),
    ...(rest.effect === undefined
      ? {}
      : { effect: { metric: STRATEGY_METRIC + rest.effect.name, counts: rest.effect.counts } }),
    ...(rest.repeats === true ? { repeats: true } : {}),
  }));
}

function takenBy({ ratios, clipScales, takes = {} }: Entry): Pick<Method, "takes" | "ratios"> {
  const moving: Entry["ratios"] = ratios ?? (clipScales === true ? clipped.ratios : undefined);
  const taken = Object.entries({ ...takes, ...moving }).map(([name, value]) => `${name}=${value}`);
  return taken.length === 0 ? {} : { takes: taken, ...(moving === undefined ? {} : { ratios: true }) };
}

/** By id or title, in any case. A name that two rooms use is written as "rollout/treepo". */
export function findEntry(entries: readonly Method[], name: string): Method {
  const wanted = name.toLowerCase();
  const found =
    entries.find(({ id, room }) => id === wanted || `${room}/${id}` === wanted) ??
    entries.find(({ title }) => title.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw unknownName(name, [...new Set(entries.map(({ id }) => id))], "method");
}

/** Each option in words. */
export function optionRows(table: DeepTable): MethodOption[] {
  return Object.entries(table).map(([name, spec]) => ({
    name,
    default: spec.default,
    allowed: allowedValues(spec),
    meaning: spec.meaning,
  }));
}

/** Where the kind of a part is not the name of its room. */
const ROOMS: Readonly<Record<string, string>> = {
  environment: "env",
  "credit method": "credit",
  strategy: "rollout",
};

/** What `info` of a part must have, so that it can be shown. */
interface ShownPart {
  readonly info?: { readonly title?: unknown; readonly meaning?: unknown };
  readonly options?: object;
  readonly settings?: object;
}

/** A part of a user's file in the form of the others. */
export function ownEntry({ kind, part, name, file }: LoadedPart): Method {
  const { info, options, settings } = part as ShownPart;
  if (typeof info?.title !== "string" || typeof info.meaning !== "string") {
    const message = `"${file}": info needs a title and a meaning, each a text.`;
    throw new EngineError("bad-part", message, { details: { file } });
  }
  const entry = { ...part, info, options: options ?? settings ?? {} };
  const [method] = entriesOf({ room: ROOMS[kind] ?? kind, entries: { [name]: entry as never } });
  return { ...(method as Method), file };
}
