/**
 * A file of tokens, one for each person or program: name, role, and a salted hash. Tokens are made here and have 192 random bits,
 * so one round of SHA-256 is enough: there is nothing to guess, and a server asks for every request.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { z } from "zod";
import { ROLES, type Caller, type Role, type Tokens } from "./access.ts";
import { EngineError, errorCode } from "./errors.ts";
import { isMissing, replaceFile } from "./files.ts";
import { plainTextSync } from "./plain-file.ts";

const Entry = z.strictObject({
  /** For lists and the audit log. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/),
  role: z.enum(ROLES),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  /** SHA-256 of salt and token, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  made: z.iso.datetime(),
  /** Not valid from then on. */
  ends: z.iso.datetime().optional(),
});
const MOST_TOKENS = 1_000;
const File = z.strictObject({ limbeck: z.literal("tokens"), v: z.literal(1), tokens: z.array(Entry).max(MOST_TOKENS) });

type TokenEntry = z.infer<typeof Entry>;

/** What may be shown of a token. */
export interface TokenInfo {
  readonly name: string;
  readonly role: Role;
  readonly made: string;
  readonly ends?: string | undefined;
}

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** Not valid from then on. Default: no end. */
  readonly ends?: Date | undefined;
  readonly now?: Date;
}

/** Long enough to be no word of any text that redaction would have to spare. */
const PREFIX = "limbeck_";

/** The token itself; it is shown once and nowhere kept. */
export async function addToken(path: string, { name, role, ends, now = new Date() }: NewToken): Promise<string> {
  const tokens = readTokens(path, "new");
  if (tokens.some((one) => one.name === name)) {
    throw new EngineError(
      "bad-token",
      `"${name}" has a token in ${path}. Remove it first (limbeck tokens remove), or take another name.`,
    );
  }
  if (tokens.length >= MOST_TOKENS) {
    throw new EngineError("bad-token", `${path} has ${MOST_TOKENS} tokens, which is the most; remove old ones.`);
  }
  const token = `${PREFIX}${randomBytes(24).toString("base64url")}`;
  const salt = randomBytes(16).toString("hex");
  const end = ends === undefined ? {} : { ends: ends.toISOString() };
  const entry = { name, role, salt, hash: hashOf(salt, token).toString("hex"), made: now.toISOString(), ...end };
  const checked = Entry.safeParse(entry);
  if (!checked.success) {
    throw new EngineError(
      "bad-token",
      `"${name.slice(0, 80)}" is no name for a token. It has 1 to 64 letters, digits, ".", "_", "@" or "-", and begins with a letter or digit.`,
    );
  }
  await writeTokens(path, [...tokens, checked.data]);
  return token;
}

export function listTokens(path: string): readonly TokenInfo[] {
  return readTokens(path).map(({ name, role, made, ends }) => ({ name, role, made, ends }));
}

export async function removeToken(path: string, name: string): Promise<void> {
  const tokens = readTokens(path);
  if (!tokens.some((one) => one.name === name)) {
    const known = tokens.map((one) => one.name).join(", ");
    throw new EngineError("unknown-name", `${path} has no token of "${name.slice(0, 80)}"; there are ${known}.`);
  }
  await writeTokens(
    path,
    tokens.filter((one) => one.name !== name),
  );
}

/**
 * The tokens of a file, for the servers. The file is read again when it has changed; while it cannot be read, no token is valid.
 *
 * @example
 * import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-tokens-"));
 * writeFileSync(join(folder, "tokens.json"), '{"limbeck":"tokens","v":1,"tokens":[]}');
 * const tokens = openTokens(join(folder, "tokens.json"));
 * console.log(tokens.find("guessed")); // undefined
 * rmSync(folder, { recursive: true });
 */
export function openTokens(path: string, now: () => Date = () => new Date()): Tokens {
  let known = readTokens(path);
  let seen = stampOf(path);
  const fresh = (): readonly TokenEntry[] => {
    const stamp = stampOf(path);
    if (stamp === seen) return known;
    seen = stamp;
    try {
      known = readTokens(path);
    } catch {
      // With a file that cannot be read no token is valid.
      known = [];
    }
    return known;
  };
  return {
    find: (token) => {
      let found: Caller | undefined;
      // All are compared, so that timing reveals nothing.
      for (const { name, role, salt, hash, ends } of fresh()) {
        const isSame = timingSafeEqual(hashOf(salt, token), Buffer.from(hash, "hex"));
        if (isSame && (ends === undefined || now() < new Date(ends))) found = { name, role };
      }
      return found;
    },
  };
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    // Gone, or not to be looked at: another stamp either way, so that it is read again.
    return "gone";
  }
}

function hashOf(salt: string, token: string): Buffer {
  return createHash("sha256").update(salt).update(token).digest();
}

/** `missing`: what it means that there is no file. */
function readTokens(path: string, missing: "wrong" | "new" = "wrong"): readonly TokenEntry[] {
  let text: string;
  try {
    text = plainTextSync(path);
  } catch (cause) {
    if (missing === "new" && isMissing(cause)) return [];
    throw new EngineError(
      "file-unreadable",
      `The tokens "${path}" cannot be read (${errorCode(cause) ?? "unknown"}). "limbeck tokens add NAME --role read --tokens ${path}" makes such a file.`,
      { details: { path }, cause },
    );
  }
  const read = File.safeParse(parsed(text));
  if (!read.success) {
    throw new EngineError(
      "bad-json-file",
      `"${path}" is no file of tokens. ${z.prettifyError(read.error)} "limbeck tokens add" writes such files.`,
      { details: { path } },
    );
  }
  return read.data.tokens;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function writeTokens(path: string, tokens: readonly TokenEntry[]): Promise<void> {
  const text = `${JSON.stringify({ limbeck: "tokens", v: 1, tokens }, undefined, 2)}\n`;
  await replaceFile(path, async (temporary) => {
    await writeFile(temporary, text, { flush: true, mode: 0o600 });
    await chmod(temporary, 0o600);
  });
}
