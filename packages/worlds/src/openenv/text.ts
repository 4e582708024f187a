/** Texts of foreign servers, made fit for prompts and terminals. */

const MAX_CHARACTERS = 200_000;

/** Control characters other than line breaks and tabs never reach a prompt or a terminal; what is too long is cut. */
export function cleanText(text: string, maxCharacters = MAX_CHARACTERS): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters)} [cut]` : text;
  return cut.replaceAll(/[^\P{Cc}\n\t]/gu, "\uFFFD");
}
