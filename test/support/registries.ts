/** Every registry of the engine, for the house test: a new registry gets one entry here. */

interface Registry {
  readonly name: string;
  readonly ids: readonly string[];
  /** The file of an entry, from the root of the repository; an entry that is a folder names its index.ts. */
  readonly file: (id: string) => string;
  /** The page that has a line for each entry, with the id in backquotes. */
  readonly doc: string;
}

export const registries: readonly Registry[] = [];
