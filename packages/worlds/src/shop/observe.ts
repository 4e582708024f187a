/** Text forms of a page, and of the list of what can be done there. */

/**
 * `plain` is the original's text; `opid` drops everything up to the instruction and quotes each string that is left;
 * `brief` says the instruction once, on the opening page, for agents that keep the conversation, and has a string a line.
 */
export type ObservationForm = "plain" | "opid" | "brief";

export const SEPARATOR = " [SEP] ";

/** The strings of a page again, quotes left alone. */
export function stringsOf(observation: string): string[] {
  return observation.split(observation.includes(SEPARATOR) ? SEPARATOR : "\n");
}

export function observe(form: ObservationForm, strings: readonly string[], instruction: string): string {
  if (form === "plain") return strings.join(SEPARATOR);
  const kept = strings.slice(strings.indexOf(instruction) + 1);
  // The opening page is the one without a way back.
  if (form === "brief") return (kept.length === 1 ? strings : kept).join("\n");
  return kept.map((text) => `'${text}'`).join(SEPARATOR);
}
