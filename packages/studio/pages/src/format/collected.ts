/** When an episode was played: for which update, or in which evaluation. */
export interface CollectedItem {
  readonly phase: string | null;
  readonly update: number | null;
}

export function collectedIn({ phase, update }: CollectedItem): string | undefined {
  const number = update === null ? undefined : `update ${update}`;
  // Training episodes are the rule; only the others are named.
  if (phase === null || phase === "train") return number ?? phase ?? undefined;
  return phase === "before" || number === undefined ? phase : `${phase}, ${number}`;
}
