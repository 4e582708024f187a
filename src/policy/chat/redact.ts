/** Text of a server on its way into an error: without keys, without control characters, and short. */

const LONGEST = 300;
/** Words that look like keys even if they are not ours: a server may quote another one. */
const KEY_LIKE = /\b(?:sk|pk|rk|key|gsk|xai)[-_][\w-]{8,}|\bBearer\s+[^\s"',]+/gi;

export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === undefined || secret === "") continue;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      clean = clean.replaceAll(form, "[key]");
    }
  }
  clean = clean
    .replace(KEY_LIKE, "[key]")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
}

/** An address without user name, password, query and fragment, any of which may hold a key. */
export function publicAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
