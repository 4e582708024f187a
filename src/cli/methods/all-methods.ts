/** Every entry of every registry in one form; what `limbeck methods`, `limbeck explain` and the docs read. */
import { allowedValues, unknownName, type DeepTable, type EntryInfo } from "../../base/index.ts";
import { credits, needs, type Example, type Need } from "../../credit/index.ts";
import { objectives } from "../../objective/index.ts";
import { rewards } from "../../reward/index.ts";
import { strategies } from "../../rollout/index.ts";
import { searches } from "../../search/index.ts";

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
  readonly file: string;
  readonly example?: Example;
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
}

/** The methods: what makes, judges and learns from episodes. */
export function allMethods(): readonly Method[] {
  return [
    ...entriesOf("reward", rewards),
    ...entriesOf("credit", credits, { fieldOf: (need) => needs[need as Need].field }),
    ...entriesOf("objective", objectives),
    ...entriesOf("rollout", strategies),
    ...entriesOf("search", searches),
  ];
}

/** Entries of one registry; `folder` is where their files are. */
export function entriesOf(
  room: string,
  entries: Readonly<Record<string, Entry>>,
  { folder = room, fieldOf = (need: string): string => need } = {},
): Method[] {
  return Object.entries(entries).map(([id, { info, options, needs: wanted = [], rowFields = [], ...rest }]) => ({
    id,
    room,
    ...info,
    needs: [...new Set([...wanted, ...rowFields].map(fieldOf))],
    mayNeed: Object.fromEntries(
      Object.entries(rest.mayNeed ?? rest.mayUse ?? {}).map(([need, when]) => [fieldOf(need), when]),
    ),
    options: optionRows(options),
    file: `src/${folder}/${id}.ts`,
    ...(rest.example === undefined ? {} : { example: rest.example }),
  }));
}

/** By id or title, in any case. A name that two rooms use is told apart as "rollout/treepo". */
export function findMethod(name: string): Method {
  const methods = allMethods();
  const wanted = name.toLowerCase();
  const found =
    methods.find(({ id, room }) => id === wanted || `${room}/${id}` === wanted) ??
    methods.find(({ title }) => title.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw unknownName(
    name,
    methods.map(({ id }) => id),
    "method",
  );
}

/** Each option in words. */
function optionRows(table: DeepTable): MethodOption[] {
  return Object.entries(table).map(([name, spec]) => ({
    name,
    default: spec.default,
    allowed: allowedValues(spec),
    meaning: spec.meaning,
  }));
}
