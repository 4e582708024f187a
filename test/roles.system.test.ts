/** Every route of every server: 401 without a token, 403 with a lower role, let in with the role that it needs. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sourcesIn } from "../scripts/layout.ts";
import {
  type Audit,
  type AuditEntry,
  type Role,
  ROLES,
  type Routes,
  type Tokens,
} from "../packages/base/src/base/access.ts";
import { OWN_ROUTES } from "../packages/base/src/base/guarded-server.ts";
import { addToken, openTokens } from "../packages/base/src/base/tokens-file.ts";
import { createCorridor } from "../packages/core/src/env/corridor.ts";
import { startEnvServer, WORLD_ROUTES } from "../packages/worlds/src/openenv/server.ts";
import { serveStatus } from "../packages/remote/src/fleet/status-server.ts";
import { openVersions, VERSIONS_ROUTES } from "../packages/remote/src/fleet/fleet-away.ts";
import { MCP_ROUTES, serveOverHttp } from "../packages/studio/src/mcp/http.ts";
import { PROXY_ROUTES, startProxy } from "../packages/store/src/record/proxy.ts";
import { createRedactor } from "../packages/recorder/src/redact.ts";
import { STUDIO_ROUTES } from "../packages/studio/src/serve/http/who-asks.ts";
import { startStudio } from "../packages/studio/src/serve/server.ts";
import { decide } from "../packages/core/src/skill/library/decide.ts";
import { NO_STATISTICS } from "../packages/core/src/skill/library/library-skill.ts";
import { openLibrary } from "../packages/core/src/skill/library/library.ts";
import { TRAINER_ROUTES } from "../packages/remote/src/tinker-server/roles.ts";
import { testTrainer } from "./support/trainer.ts";

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

interface Known {
  /** The file that calls `createGuardedServer`. */
  readonly file: string;
  readonly routes: Routes;
  readonly start: (access: { readonly tokens: Tokens; readonly audit: Audit }) => Promise<Served>;
  /** How a client shows its token. */
  readonly shows: (token: string) => Record<string, string>;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
let folder = "";
const secrets = new Map<Role, string>();
let tokens: Tokens;
const lines: AuditEntry[] = [];
const audit: Audit = { write: (entry) => void lines.push(entry), close: () => Promise.resolve() };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-roles-"));
  const file = join(folder, "tokens.json");
  for (const role of ROLES) secrets.set(role, await addToken(file, { name: `${role}er`, role }));
  tokens = openTokens(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const nothing = (): Promise<void> => Promise.resolve();
const recordings = {
  add: () => undefined,
  addTrajectory: nothing,
  save: nothing,
  tick: nothing,
  status: () => ({ open: 0, stored: 0, dropped: 0 }),
  close: nothing,
};
const report = () =>
  ({ name: "w", state: "idle", active: 0, jobs: 0, episodes: 0, failed: 0, secondsPerJob: 0 }) as never;

const SERVERS: Readonly<Record<string, Known>> = {
  studio: {
    file: "serve/server.ts",
    routes: STUDIO_ROUTES,
    shows: bearer,
    // Trainings that are started end at once.
    start: (access) =>
      startStudio({ root: join(folder, "runs"), version: "1", write: true, train: ["-e", "0"], ...access }),
  },
  trainer: {
    file: "tinker-server/server.ts",
    routes: TRAINER_ROUTES,
    shows: (token) => ({ "x-api-key": token }),
    start: (access) => testTrainer(access),
  },
  world: {
    file: "worlds/openenv/server.ts",
    routes: WORLD_ROUTES,
    shows: bearer,
    start: (access) => startEnvServer({ env: createCorridor(), ...access }),
  },
  proxy: {
    file: "record/proxy.ts",
    routes: PROXY_ROUTES,
    shows: (token) => ({ "x-limbeck-token": token }),
    // Nobody listens there: the answer is a fault of the provider, which comes after the guard.
    start: (access) =>
      startProxy({ recordings, redactor: createRedactor(), openai: "http://127.0.0.1:9/v1", ...access }),
  },
  mcp: {
    file: "mcp/http.ts",
    routes: MCP_ROUTES,
    shows: bearer,
    start: async (access) => {
      const library = openLibrary(join(folder, "skills"));
      const server = await serveOverHttp({ library, version: "1", token: "of-the-owner-alone", port: 0, ...access });
      return { url: new URL(server.url).origin, close: () => server.close() };
    },
  },
  worker: {
    file: "fleet/status-server.ts",
    routes: {},
    shows: bearer,
    start: (access) => serveStatus(report, { host: "127.0.0.1", port: 0, ...access }),
  },
};

/** The status alone: streams would never end. */
function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("no server is missing here", () => {
  const files = sourcesIn(".")
    .filter(({ path, text }) => !path.endsWith(".test.ts") && text.includes("createGuardedServer("))
    .map(({ path }) => path);
  const known = [...Object.values(SERVERS).map(({ file }) => file), "fleet/fleet-away.ts", "worlds/agent/desk.ts"];
  expect(files.filter((path) => path !== "base/guarded-server.ts").sort()).toEqual(known.sort());
});

test.each(Object.keys(SERVERS))("%s", async (name) => {
  const { routes, start, shows } = SERVERS[name] as Known;
  const server = await start({ tokens, audit });
  const wrong: string[] = [];
  const changes: string[] = [];
  lines.length = 0;
  try {
    for (const [route, needed] of Object.entries<Role | "open">({ ...OWN_ROUTES, ...routes })) {
      const [asked = "", path = ""] = route.split(" ");
      const method = asked === "*" ? "POST" : asked;
      const at = path.replaceAll(/\{\w+\}/g, "x").replace("*", "v1/chat/completions");
      const ask = async (token: string | undefined): Promise<number> =>
        await statusOf(`${server.url}${at}`, method, {
          "content-type": "application/json",
          ...(token === undefined ? {} : shows(token)),
        });
      const [nobody, guessed] = [await ask(undefined), await ask("limbeck_guessed")];
      if (needed === "open" ? nobody === 401 : nobody !== 401 || guessed !== 401) wrong.push(`${route}: ${nobody}`);
      for (const role of ROLES) {
        const isEnough = needed === "open" || ROLES.indexOf(role) >= ROLES.indexOf(needed);
        const status = await ask(secrets.get(role));
        // A page of the studio that is missing, a body that is empty: anything but a closed door.
        if (isEnough ? [401, 403].includes(status) : status !== 403) wrong.push(`${route} as ${role}: ${status}`);
        if (isEnough && (needed === "write" || needed === "train")) changes.push(`${role}er ${method} ${at}`);
      }
    }
    expect(wrong).toEqual([]);
    // Who was let in to change something is in the log, with the status; who was not, with the reason.
    await expect
      .poll(() =>
        lines.filter(({ refused }) => refused === undefined).map((one) => `${one.who} ${one.method} ${one.path}`),
      )
      .toEqual(expect.arrayContaining(changes));
    expect(lines.filter(({ status }) => status === 401).every(({ who }) => who === null)).toBe(true);
    expect(JSON.stringify(lines)).not.toContain("limbeck_");
  } finally {
    if (name !== "trainer") await server.close();
  }
});

test("a way around the table gets nobody further: other spellings of a path need the highest role", async () => {
  const { start, shows } = SERVERS["studio"] as Known;
  const studio = await start({ tokens, audit });
  const reader = { ...shows(secrets.get("read") ?? ""), "content-type": "application/json" };
  for (const path of [
    "/api/skill/decision/",
    "/api/skill/decisio%6E",
    "//api/skill/decision",
    "/api/x/../skill/decision",
  ]) {
    expect([path, await statusOf(`${studio.url}${path}`, "POST", reader)]).toEqual([path, 403]);
  }
  // The address with a token in it gives a cookie to whoever has a token, with their own role.
  expect(await statusOf(`${studio.url}/?token=${secrets.get("read")}`, "GET", {})).toBe(303);
  expect(await statusOf(`${studio.url}/?token=limbeck_guessed`, "GET", {})).toBe(401);
  const { port } = new URL(studio.url);
  const cookie = { cookie: `limbeck-studio-${port}=${secrets.get("read")}` };
  expect(await statusOf(`${studio.url}/api/meta`, "GET", cookie)).toBe(200);
  await studio.close();
});

test("the socket of a world asks for the token too", async () => {
  const world = await (SERVERS["world"] as Known).start({ tokens, audit });
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "x".repeat(22) + "==",
  };
  expect(await statusOf(`${world.url}/ws`, "GET", upgrade)).toBe(401);
  expect(lines.at(-1)).toMatchObject({ server: "world", path: "/ws", status: 401, refused: "unauthorised" });
  await world.close();
});

test("a tool of MCP that changes something asks for the role by itself, and is in the log", async () => {
  const library = openLibrary(join(folder, "skills"));
  const heat = { name: "heat-it", description: "How to heat things.", level: "task", status: "candidate" } as const;
  const more = {
    when: { goals: ["heat {1}"] },
    text: "Use the microwave.",
    evidence: [{ trajectory: "t", steps: [1] }],
  };
  const seen = { support: { successes: 3, failures: 1 }, statistics: NO_STATISTICS, source: "statistics" } as const;
  await library.add({ ...heat, ...more, ...seen }, { by: "test", action: "extracted" });
  await decide(library, "heat-it", { decision: "promote", by: "test" });
  const server = await (SERVERS["mcp"] as Known).start({ tokens, audit });
  lines.length = 0;
  const call = async (role: Role): Promise<string> => {
    const params = { name: "report_skill", arguments: { name: "heat-it", success: true } };
    const answer = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        ...bearer(secrets.get(role) ?? ""),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return await answer.text();
  };
  expect(await call("read")).toContain('needs the role \\"write\\"');
  expect(await call("write")).toContain("1 of 1 uses of heat-it succeeded");
  await expect.poll(() => lines).toMatchObject([{ server: "mcp", who: "writeer", path: "/mcp", status: 200 }]);
  await server.close();
});

test("weights of a training: the token of its jobs, and no other", async () => {
  const write = async (at: string): Promise<void> => {
    await mkdir(at, { recursive: true });
    await writeFile(join(at, "config.json"), "{}");
  };
  const serve = { host: "127.0.0.1", port: 0, audit };
  const versions = await openVersions({ dir: join(folder, "versions"), share: { write }, keep: 1, serve });
  const published = await versions.publish(1);
  const source = published.sources.find(({ kind }) => kind === "http") as { url: string; token: string };
  const [route = ""] = Object.keys(VERSIONS_ROUTES);
  const path = route.split(" ")[1]?.replace("{hash}", published.hash).replace("{file}", "config.json");
  expect(await statusOf(`${source.url}${path}`, "GET", {})).toBe(401);
  expect(await statusOf(`${source.url}${path}`, "GET", bearer(secrets.get("train") ?? ""))).toBe(401);
  expect(await statusOf(`${source.url}${path}`, "GET", bearer(source.token))).toBe(200);
  await versions.close();
});
