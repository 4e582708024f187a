/** An object while it is being put together: the same fields, which may still be written. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
