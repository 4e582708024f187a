/** `limbeck tokens`: tokens of people and programs for the servers, each with a role. */
import { resolve } from "node:path";
import { ROLES, type Role } from "../../base/access.ts";
import { unknownName } from "../../base/registry.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable } from "../look/table.ts";
import { text } from "../options.ts";
import { usageError } from "../parse.ts";

export const tokens: Command = {
  group: "start",
  summary: "Make, list and remove tokens for the servers, one for each person or program",
  usage: "add NAME --role ROLE [--ends DATE] | list | remove NAME [--tokens FILE]",
  description:
    "Studio, trainer, proxy, worlds, skills over MCP and workers take the file with --tokens FILE. Roles: read looks, asks models and plays; write also changes what is kept (judgements, skills, recordings); train also changes weights and checkpoints. A token is shown once; the file holds a salted hash of it.\n" +
    "Servers see a change of the file at the next request. docs/security.md has what every request needs.",
  arity: [1, 2],
  subcommands: { add: "A new token", list: "Who has one", remove: "Nobody is let in with it any more" },
  options: {
    tokens: text("FILE", 'The file of tokens. Default: "tokens.json"'),
    role: text("ROLE", "add: read, write or train", () => ROLES),
    ends: text("DATE", "add: not valid from then on, such as 2027-01-31. Default: no end"),
  },
  examples: [
    "limbeck tokens add ann --role write",
    "limbeck tokens add nightly --role train --ends 2027-01-31 --tokens /etc/limbeck/tokens.json",
    "limbeck tokens list",
    "limbeck tokens remove ann",
  ],
  jsonFields: {
    name: "who has it",
    role: "read, write or train",
    made: "list: when",
    ends: "add, list: not valid from then on; null for no end",
    token: "add: the token itself, shown this once",
    removed: "remove: true",
  },
  run: async (invocation) => {
    const file = resolve(invocation.io.cwd, invocation.text("tokens") ?? "tokens.json");
    const [action = "", name] = invocation.positionals;
    if (action === "list") return await list(invocation, file);
    if (name === undefined) throw usageError(`"limbeck tokens ${action}" needs a name: limbeck tokens ${action} ann.`);
    return action === "add" ? await add(invocation, file, name) : await remove(invocation, file, name);
  },
};

async function add(invocation: Invocation, file: string, name: string): Promise<number> {
  const { addToken } = await import("../../base/tokens-file.ts");
  const [role, ends] = [givenRole(invocation), givenEnd(invocation)];
  const token = await addToken(file, { name, role, ends });
  if (invocation.json) {
    invocation.printJson({ name, role, ends: ends?.toISOString() ?? null, token });
    return EXIT.done;
  }
  invocation.print(token);
  const until = ends === undefined ? "" : ` until ${ends.toISOString()}`;
  invocation.note(`The token of ${name}, for "${role}"${until}. It is shown this once; ${file} holds a hash of it.`);
  return EXIT.done;
}

async function list(invocation: Invocation, file: string): Promise<number> {
  const { listTokens } = await import("../../base/tokens-file.ts");
  const found = listTokens(file);
  if (invocation.json) {
    for (const { ends = null, ...one } of found) invocation.printJson({ ...one, ends });
    return EXIT.done;
  }
  if (found.length === 0) invocation.print("Nobody has a token.");
  else {
    const titles = ["name", "role", "made", "ends"].map((title) => ({ title }));
    const rows = found.map(({ name, role, made, ends = "" }) => [name, role, made.slice(0, 10), ends.slice(0, 10)]);
    printTable(invocation, titles, rows);
  }
  return EXIT.done;
}

async function remove(invocation: Invocation, file: string, name: string): Promise<number> {
  const { removeToken } = await import("../../base/tokens-file.ts");
  await removeToken(file, name);
  if (invocation.json) invocation.printJson({ name, removed: true });
  else invocation.print(`The token of ${name} is not valid any more.`);
  return EXIT.done;
}

function givenRole(invocation: Invocation): Role {
  const given = invocation.text("role");
  if (given === undefined) throw usageError(`"limbeck tokens add" needs --role: ${ROLES.join(", ")}.`);
  const role = ROLES.find((known) => known === given);
  if (role === undefined) throw unknownName(given, ROLES, "role");
  return role;
}

function givenEnd(invocation: Invocation): Date | undefined {
  const given = invocation.text("ends");
  if (given === undefined) return undefined;
  const date = new Date(given);
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && !Number.isNaN(date.getTime())) return date;
  throw usageError(`--ends must be a date, such as 2027-01-31 or 2027-01-31T18:00:00Z; got "${given}".`);
}
