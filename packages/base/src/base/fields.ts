/** An object while it is being put together: the same fields, which may still be written. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** As a type: a field that could be undefined may be missing instead. */
export type Present<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * Leaves out what is undefined, for options that may be missing but not undefined.
 *
 * @example
 * console.log(withoutUndefined({ seed: 7, split: undefined })); // { seed: 7 }
 */
export function withoutUndefined<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Present<T>;
}
