/** Addresses in a text: of pages, mailboxes, machines and bank accounts. */

export interface Address {
  readonly kind: "page" | "mail" | "machine" | "account";
  readonly text: string;
  /** What a goal must name so that the address is no concern: the host, or the whole address. */
  readonly names: string;
  /** Whether something is to be filled into it, or is sent along with it. */
  readonly carries: boolean;
}

/** Stands for an address in the text that is left. */
export const PLACE = "\uE000";

const TOP = "com|net|org|io|xyz|ru|cn|biz|co|ai|example|ly|gg|su|tk|site|dev";
/** Words that programs also write after a dot. */
const WORDY = "app|info|me|top|online|link|click|live|cloud|to|test|shop|page|sh|zip";
// Every part is bounded, so that no text takes longer than its length allows.
const ADDRESS = new RegExp(
  [
    String.raw`(?:https?|ftps?|sftp|wss?):\/\/[^\s"'\x60<>)\]]{1,2000}`,
    String.raw`[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}`,
    String.raw`\bwww\.[^\s"'\x60<>)\]]{1,500}`,
    String.raw`(?<!version |v)\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b(?:\/[^\s"'\x60<>)\]]{0,500})?`,
    String.raw`\b[a-z]{2}\d{2}[a-z0-9]{11,30}\b`,
    String.raw`\bbc1[a-z0-9]{25,60}\b|\b0x[0-9a-f]{40}\b`,
    String.raw`\b[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,6}\.(?:(?:${TOP})\b(?![.-]?[a-z0-9])(?:[/:?][^\s"'\x60<>)\]]{0,500})?|(?:${WORDY})\/[^\s"'\x60<>)\]]{1,500})`,
  ].join("|"),
  "g",
);

/** On plain text. Machines of one's own network are no addresses. */
export function findAddresses(plain: string): { readonly addresses: readonly Address[]; readonly rest: string } {
  const addresses: Address[] = [];
  const rest = plain.replaceAll(ADDRESS, (found) => {
    const text = found.replace(/[.,;:!?]{1,3}$/, "");
    const address = addressOf(text);
    if (address === undefined) return found;
    addresses.push(address);
    return ` ${PLACE} ${found.slice(text.length)}`;
  });
  return { addresses, rest };
}

function addressOf(text: string): Address | undefined {
  // A numbered place as a part of a path is filled with a word of the goal, and carries nothing else.
  const path = text.split(/[/?]/).slice(1).join("/");
  const carries = /[{}[\]$<]|=\w/.test(path.replaceAll(/(?<=^|\/)\{\d\}(?=\/|$)/g, "place"));
  if (text.includes("@") && !text.includes("/")) return { kind: "mail", text, names: text, carries: false };
  if (/^(?:[a-z]{2}\d{2}[a-z0-9]{11,30}|bc1[a-z0-9]+|0x[0-9a-f]+)$/.test(text)) {
    return /\d.*\d.*\d.*\d/.test(text) ? { kind: "account", text, names: text, carries: false } : undefined;
  }
  const host = (text.replace(/^[a-z]+:\/\//, "").split(/[/:?#]/)[0] ?? "").replace(/^.*@/, "").replace(/^www\./, "");
  if (host === "localhost" || /^(?:127|0|10|192\.168|169\.254)\.[\d.]+$/.test(host)) return undefined;
  const kind = /^\d+(?:\.\d+){3}$/.test(host) ? "machine" : "page";
  return { kind, text, names: host, carries };
}

/** Whether these addresses, of goals, name this one: the same, or the host that its own belongs to. */
export function isNamed({ kind, names }: Address, known: readonly Address[]): boolean {
  return known.some((other) => names === other.names || (kind === "page" && names.endsWith(`.${other.names}`)));
}
