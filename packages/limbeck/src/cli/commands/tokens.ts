/** `limbeck tokens`: tokens of people and programs for the servers, each with a role. */
import { resolve } from "node:path";
import { ROLES, type Role } from "limbeck-base/base/access";
import { input } from "limbeck-base/base/input";
import { defineCommand } from "../command-of.ts";
import { printTable } from "../look/table.ts";
import { usageError } from "../parse.ts";

export const tokens = defineCommand({
  group: "start",
  summary: "Make, list and remove tokens for the servers, one for each person or program",
  usage: "add NAME --role ROLE [--ends DATE] | list | remove NAME [--tokens FILE]",
  description:
    "Studio, trainer, proxy, worlds, skills over MCP and workers take the file with --tokens FILE. Roles: read looks, asks models and plays; write also changes what is kept (judgements, skills, recordings); train also changes weights and checkpoints. A token is shown once; the file holds a salted hash of it.\n" +
    "Servers see a change of the file at the next request. docs/lookup/security.md has what every request needs.",
  subcommands: { add: "A new token", list: "Who has one", remove: "Nobody is let in with it any more" },
  input: {
    action: input.text("ACTION", "What to do", { at: 0, required: true }),
    name: input.text("NAME", "Who has it", { at: 1 }),
    tokens: input.path("FILE", 'The file of tokens. Default: "tokens.json"'),
    role: input.choice("ROLE", "add: read, write or train", ROLES),
    ends: input.text("DATE", "add: not valid from then on, such as 2027-01-31. Default: no end"),
  },
  examples: [
    "limbeck tokens add ann --role write",
    "limbeck tokens add nightly --role train --ends 2027-01-31 --tokens /etc/limbeck/tokens.json",
    "limbeck tokens list",
    "limbeck tokens remove ann",
  ],
  line: {
    name: "who has it",
    role: "read, write or train",
    made: "list: when",
    ends: "add, list: not valid from then on; null for no end",
    token: "add: the token itself, shown this once",
    removed: "remove: true",
  },
  run: async ({ action, name, tokens: given = "tokens.json", role, ends }, frame) => {
    const { addToken, listTokens, removeToken } = await import("limbeck-base/base/tokens-file");
    const file = resolve(frame.cwd, given);
    if (action === "list") {
      const found = listTokens(file);
      for (const { ends: end = null, ...one } of found) frame.emit({ ...one, ends: end });
      if (found.length === 0) return frame.print("Nobody has a token.");
      const rows = found.map((one) => [one.name, one.role, one.made.slice(0, 10), (one.ends ?? "").slice(0, 10)]);
      return printTable(frame, ["name", "role", "made", "ends"], rows);
    }
    if (name === undefined) throw usageError(`"limbeck tokens ${action}" needs a name: limbeck tokens ${action} ann.`);
    if (action === "remove") {
      await removeToken(file, name);
      frame.emit({ name, removed: true });
      return frame.print(`The token of ${name} is not valid any more.`);
    }
    const end = ends === undefined ? undefined : dateOf(ends);
    const token = await addToken(file, { name, role: neededRole(role), ends: end });
    frame.emit({ name, role, ends: end?.toISOString() ?? null, token });
    frame.print(token);
    const until = end === undefined ? "" : ` until ${end.toISOString()}`;
    frame.note(`The token of ${name}, for "${role}"${until}. It is shown this once; ${file} holds a hash of it.`);
  },
});

function neededRole(role: Role | undefined): Role {
  if (role === undefined) throw usageError(`"limbeck tokens add" needs --role: ${ROLES.join(", ")}.`);
  return role;
}

function dateOf(given: string): Date {
  const date = new Date(given);
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && !Number.isNaN(date.getTime())) return date;
  throw usageError(`--ends must be a date, such as 2027-01-31 or 2027-01-31T18:00:00Z; got "${given}".`);
}
