/** A foreign name in a message: in quotes, without control characters, and not endless. */
export function quote(text: string, limit = 80): string {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  // JSON escapes most of them; DEL and the C1 range, which terminals obey too, it leaves alone.
  return JSON.stringify(shown).replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
