/** Things that belong together. */

/**
 * Items by key, in the order of their first appearance; an item whose key is undefined is left out.
 *
 * @example
 * const byLength = groupedBy(["go", "look", "take"], (word) => word.length);
 * console.log(byLength.get(4)); // [ "look", "take" ]
 */
export function groupedBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item, at: number) => Key | undefined,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  let at = 0;
  for (const item of items) {
    const key = keyOf(item, at);
    at += 1;
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
