/** A small, fast hash for names and buckets; not for secrets. */

/** FNV-1a over UTF-16 units, 32 bits, with a final mix because the low bits of plain FNV-1a are weak. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
