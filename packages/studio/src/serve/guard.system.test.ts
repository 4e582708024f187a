import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rawRequest } from "../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { startStudio, type Studio } from "./server.ts";

const folder = temporaryFolders();
let studio: Studio;
let bearer: Record<string, string>;

beforeEach(async () => {
  const root = await folder();
  const pages = join(root, "pages");
  await mkdir(join(pages, "assets"), { recursive: true });
  await writeFile(join(pages, "index.html"), "<!doctype html><title>studio</title>");
  await writeFile(join(pages, "assets", "index-1.js"), "export {};\n".repeat(500));
  await writeFile(join(root, "secret.txt"), "secret");
  studio = await startStudio({ root: join(root, "runs"), version: "1.2.3", pages });
  bearer = { authorization: `Bearer ${studio.token}` };
});
afterEach(() => studio.close());

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  rawRequest(`${studio.url}${path}`, headers, method);
const codeOf = ({ text }: { readonly text: string }): unknown =>
  (JSON.parse(text) as { error: { code: string } }).error.code;

test("without the token nothing is answered: no data, no pages, no description", async () => {
  for (const path of ["/", "/assets/index-1.js", "/api/meta", "/api/runs", "/api/openapi.json", "/api/events", "/x"]) {
    const wrong = { authorization: "Bearer no", cookie: "limbeck-studio=no" };
    for (const headers of [{}, wrong] as Record<string, string>[]) {
      const refused = await ask(path, headers);
      expect([path, refused.status, codeOf(refused)]).toEqual([path, 401, "unauthorised"]);
    }
  }
  expect((await ask("/?token=wrong")).status).toBe(401);
  const person = await ask("/", { accept: "text/html" });
  expect([person.status, person.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
  expect(person.text).toContain("limbeck studio");
});

test("the opened address gives a cookie that only this server's pages send, and a clean address", async () => {
  const entered = await ask(new URL(studio.entrance).pathname + new URL(studio.entrance).search);
  expect([entered.status, entered.headers["location"]]).toEqual([303, "/"]);
  const cookie = String(entered.headers["set-cookie"]);
  expect(cookie).toMatch(/^limbeck-studio-\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/);
  const headers = { cookie: `other=1; ${cookie.split(";")[0]}` };
  expect((await ask("/", headers)).text).toContain("<title>studio</title>");
  expect(JSON.parse((await ask("/api/meta", headers)).text)).toMatchObject({ version: "1.2.3", writable: false });
});

test("another name for this machine, another origin and another site are refused, token or not", async () => {
  const { port, host } = new URL(studio.url);
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{ host: `evil.example:${port}` }, "bad-host"],
    [{ host: "127.0.0.1:1" }, "bad-host"],
    [{ origin: "https://evil.example" }, "bad-origin"],
    [{ origin: "null" }, "bad-origin"],
    [{ origin: `http://localhost:${port}` }, "bad-origin"],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, "bad-origin"],
    [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, "bad-origin"],
  ];
  for (const [headers, code] of cases) {
    const refused = await ask("/api/runs", { ...bearer, ...headers });
    expect([headers, refused.status, codeOf(refused)]).toEqual([headers, 403, code]);
  }
  for (const fine of [
    { host: `localhost:${port}` },
    { origin: `http://${host}` },
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" },
    { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
  ]) {
    expect((await ask("/api/runs", { ...bearer, ...(fine as Record<string, string>) })).status).toBe(200);
  }
  // A link on another page may open the studio, which still needs its token.
  expect((await ask("/", { ...bearer, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).status).toBe(
    200,
  );
});

test("what changes something says where it comes from, is JSON and small", async () => {
  const cookie = { cookie: `limbeck-studio-${new URL(studio.url).port}=${studio.token}` };
  expect(codeOf(await ask("/api/sql", cookie, "POST"))).toBe("bad-origin");
  const own = { ...cookie, origin: new URL(studio.url).origin };
  expect(codeOf(await ask("/api/sql", { ...own, "content-type": "text/plain" }, "POST"))).toBe("wrong-media");
  expect(codeOf(await ask("/api/sql", { ...own, "content-type": "application/json" }, "POST"))).toBe("bad-request");
  expect((await ask("/api/runs", bearer, "DELETE")).status).toBe(404);
  const body = JSON.stringify({ sql: "x".repeat(1_100_000) });
  const large = await fetch(`${studio.url}/api/sql`, {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body,
  });
  expect(large.status).toBe(413);
});

test("a body without a length is read no further than a body may be long", async () => {
  let taken = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      taken += 65_536;
      if (taken > 300 * 1024 * 1024) stream.close();
      else stream.enqueue(new Uint8Array(65_536));
    },
  });
  const asked = {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body: endless,
    duplex: "half",
  };
  // A server that ends the connection may be faster than its answer.
  const status = await fetch(`${studio.url}/api/sql`, asked as RequestInit).then(
    (answer) => answer.status,
    () => 413,
  );
  expect(status).toBe(413);
  expect(taken).toBeLessThan(32 * 1024 * 1024);
});

test("every answer has the headers that keep a page harmless; files are small and nothing else is served", async () => {
  const page = await ask("/", bearer);
  for (const { headers } of [page, await ask("/api/meta", bearer), await ask("/api/nothing", bearer)]) {
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self';");
    expect(headers["content-security-policy"]).toContain("require-trusted-types-for 'script'");
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  }
  const script = await ask("/assets/index-1.js", { ...bearer, "accept-encoding": "gzip, br" });
  expect(script.headers).toMatchObject({
    "content-encoding": "br",
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "private, max-age=31536000, immutable",
  });
  expect(script.text.length).toBeLessThan(200);
  expect(
    (await ask("/assets/index-1.js", { ...bearer, "accept-encoding": "br;q=0, gzip" })).headers["content-encoding"],
  ).toBe("gzip");
  for (const path of [
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/../../secret.txt",
    "/assets",
  ]) {
    expect([path, (await ask(path, bearer)).status]).toEqual([path, 404]);
  }
});

test("beyond this machine it wants a token of one's own, and answers to any name", async () => {
  await expect(startStudio({ root: await folder(), version: "1", host: "0.0.0.0" })).rejects.toMatchObject({
    code: "token-needed",
  });
  await expect(startStudio({ root: await folder(), version: "1", token: "short" })).rejects.toMatchObject({
    code: "bad-token",
  });
  const token = "a-token-of-my-own";
  const open = await startStudio({ root: await folder(), version: "1", host: "0.0.0.0", token });
  const { port } = new URL(open.url);
  const headers = { authorization: `Bearer ${token}`, host: `workstation:${port}` };
  expect((await rawRequest(`http://127.0.0.1:${port}/api/runs`, headers)).status).toBe(200);
  await open.close();
  await expect(
    startStudio({ root: await folder(), version: "1", port: Number(new URL(studio.url).port) }),
  ).rejects.toMatchObject({
    code: "port-taken",
  });
});
