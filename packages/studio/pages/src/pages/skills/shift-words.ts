export const SHIFT_MEANING =
  "How much likelier, in nats a token, the teacher finds what the agent said once it has read the skill. Below 0: less likely.";

/** What a teacher's shift means, in words. */
export function shiftWords(shift: number): string {
  return `nats a token: with it the teacher finds what the agent said ${shift < 0 ? "less" : "more"} likely`;
}
