/** A family of tasks in words: worlds write "pick_and_place". */
export function familyText(family: string): string {
  return family.replaceAll("_", " ");
}
