/**
 * Where the reader is, as an address: segments and settings behind the "#". Everything a page shows can be found
 * again from it, so an address can be kept and passed on. The server never sees it.
 */
export interface Place {
  readonly segments: readonly string[];
  readonly query: Query;
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the part of an address from "#" on. Anything can be read; what is no address is the first page. */
export function readPlace(hash: string): Place {
  const text = hash.replace(/^#?\/?/, "");
  const split = text.indexOf("?");
  const path = split < 0 ? text : text.slice(0, split);
  const settings = new URLSearchParams(split < 0 ? "" : text.slice(split + 1));
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of settings) {
    const held = query[name];
    query[name] = held === undefined ? value : Array.isArray(held) ? [...held, value] : [held, value];
  }
  return {
    segments: path
      .split("/")
      .filter((part) => part !== "")
      .map(decode),
    query,
  };
}

/** The other way round. Empty settings are left out, so that one view has one address. */
export function writePlace(segments: readonly string[], query: Query = {}): string {
  const settings = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value as string])
      settings.append(name, one);
  }
  const path = `#/${segments.map(encode).join("/")}`;
  const tail = settings.toString();
  return tail === "" ? path : `${path}?${tail}`;
}

/** The first value of a setting. */
export function setting({ query }: Place, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" ? value : value?.[0];
}

/** All values of a setting. */
export function settings({ query }: Place, name: string): readonly string[] {
  const value = query[name];
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}

/** A whole number of at least 0, or nothing. */
export function wholeSetting(place: Place, name: string): number | undefined {
  const text = setting(place, name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Dots are written out: a browser would take a segment of dots as a way up. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replaceAll(".", "%2E");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A hand-made address with a lone "%".
    return segment;
  }
}
