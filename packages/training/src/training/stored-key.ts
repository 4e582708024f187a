/** Names what becomes visible in one commit. */
export function storedKey(kind: string, update: number): string {
  return `${kind} ${update}`;
}
