/** The language in which methods declare their options, and the types that follow from a table. */

export interface Range {
  readonly least?: number;
  /** Exclusive. */
  readonly above?: number;
  readonly most?: number;
  readonly whole?: boolean;
}

export interface NumberKind extends Range {
  readonly kind: "number";
}

/** A number that may be switched off. */
export interface LimitKind extends Range {
  readonly kind: "limit";
  /** Words that may stand in the place of the number. */
  readonly words?: readonly string[];
}

export interface FlagKind {
  readonly kind: "flag";
}

interface ChoiceKind {
  readonly kind: "choice";
  readonly choices: readonly string[];
}

/** A name, a folder or an address. */
interface TextKind {
  readonly kind: "text";
  /** Letters, digits, _ and - alone, a letter first. */
  readonly word?: boolean;
}

interface ListKind {
  readonly kind: "list";
  readonly of: ValueKind;
  readonly fewest?: number;
}

/** Values by names that the caller chooses. */
interface MapKind {
  readonly kind: "map";
  readonly of: ValueKind;
  readonly fewest?: number;
}

/** Options inside an option. A field without a default must be given. */
export interface NestedKind {
  readonly kind: "table";
  readonly fields: Readonly<Record<string, ValueKind & { readonly default?: DeepValue; readonly meaning: string }>>;
}

/** Any JSON value; what takes it checks it. */
interface JsonKind {
  readonly kind: "json";
}

export type ValueKind =
  | NumberKind
  | LimitKind
  | FlagKind
  | ChoiceKind
  | TextKind
  | ListKind
  | MapKind
  | NestedKind
  | JsonKind;

interface Described<Default> {
  /** Where it is null, null is a value too: none. */
  readonly default: Default;
  readonly meaning: string;
  /** A training fills it in by itself; it is no setting of its own. */
  readonly automatic?: boolean;
}

/** Options whose values are one word each, so that any of them can be a setting of a training. */
export type OptionSpec =
  | (NumberKind & Described<number>)
  | (LimitKind & Described<number | string | null>)
  | (FlagKind & Described<boolean>)
  | ((ChoiceKind | TextKind) & Described<string | null>);
export type OptionTable = Readonly<Record<string, OptionSpec>>;
export type OptionValue = number | string | boolean | null;

/** With lists, names and tables besides, for files and for code. */
export type DeepSpec =
  | OptionSpec
  | (ListKind & Described<readonly DeepValue[] | null>)
  | ((MapKind | NestedKind) & Described<Readonly<Record<string, DeepValue>> | null>)
  | (JsonKind & Described<DeepValue>);
export type DeepTable = Readonly<Record<string, DeepSpec>>;
export type DeepValue = OptionValue | readonly DeepValue[] | { readonly [name: string]: DeepValue };

export type ValueOf<Kind> = [OptionSpec] extends [Kind]
  ? [DeepSpec] extends [Kind]
    ? DeepValue
    : OptionValue
  : KindValue<Kind> | (Kind extends { readonly default: infer D } ? Extract<D, null> : never);
type KindValue<Kind> = Kind extends { readonly kind: "number" }
  ? number
  : Kind extends { readonly kind: "limit" }
    ? number | null | (Kind extends { readonly words: readonly (infer Word)[] } ? Word : never)
    : Kind extends { readonly kind: "flag" }
      ? boolean
      : Kind extends { readonly kind: "text" }
        ? string
        : Kind extends { readonly choices: readonly (infer Choice)[] }
          ? Choice
          : Kind extends { readonly kind: "list"; readonly of: infer Item }
            ? readonly ValueOf<Item>[]
            : Kind extends { readonly kind: "map"; readonly of: infer Item }
              ? Readonly<Record<string, ValueOf<Item>>>
              : Kind extends { readonly fields: infer Fields }
                ? OptionValues<Fields>
                : DeepValue;

export type OptionValues<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

/** What a caller may write: everything with a default may be left out, in nested tables too. */
export type GivenOptions<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly default: unknown } ? Name : never]?: GivenOf<
    Table[Name]
  >;
} & {
  readonly [Name in keyof Table as Table[Name] extends { readonly default: unknown } ? never : Name]: GivenOf<
    Table[Name]
  >;
};
type GivenOf<Kind> = Kind extends { readonly fields: infer Fields }
  ? GivenOptions<Fields> | Extract<ValueOf<Kind>, null>
  : Kind extends { readonly kind: "list"; readonly of: infer Item }
    ? readonly GivenOf<Item>[] | Extract<ValueOf<Kind>, null>
    : ValueOf<Kind>;
