/** Text forms of a page, and of the list of what can be done there. */

/** `plain` is the original's text; `opid` drops everything up to the instruction and quotes each string that is left. */
export type ObservationForm = "plain" | "opid";

export const SEPARATOR = " [SEP] ";

export function observe(form: ObservationForm, strings: readonly string[], instruction: string): string {
  if (form === "plain") return strings.join(SEPARATOR);
  const kept = strings.slice(strings.indexOf(instruction) + 1);
  return kept.map((text) => `'${text}'`).join(SEPARATOR);
}
