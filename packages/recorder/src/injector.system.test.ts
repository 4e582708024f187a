import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedProvider, type ScriptedProvider } from "../../../examples/scripted-provider.ts";
import { createInjector, type InjectorOptions } from "./injector.ts";
import type { InjectedSkill } from "./skills.ts";

const warmer: InjectedSkill = {
  id: "warmer",
  text: "To say which city is warmer, ask for both at once.",
  when: { goal: "Which is warmer, {1} or {2}?" },
};
const skills = [warmer, { id: "tax", text: "Tax is due in May." }];
const question = "Which is warmer, Paris or Rome?";

let provider: ScriptedProvider;
let folder: string;
beforeEach(async () => {
  provider = await startScriptedProvider();
  folder = await mkdtemp(join(tmpdir(), "limbeck-injector-"));
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

test("skills come from a file, an address and a function; a refresh that fails keeps those that are there", async () => {
  const file = join(folder, "skills.json");
  await writeFile(file, JSON.stringify({ skills: [...skills, { id: "no text" }] }));
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/gone" ? 404 : 200;
    response.end(JSON.stringify(skills));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let loads = 0;
  const once = (): Promise<unknown> => {
    loads += 1;
    return loads === 1 ? Promise.resolve(skills) : Promise.reject(new Error("down"));
  };
  const params = { prompt: [{ role: "user", content: [{ type: "text", text: question }] }] };
  const ask = async (options: InjectorOptions): Promise<readonly unknown[]> => {
    const injector = createInjector(options);
    const seen: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      seen.push((await injector.middleware.transformParams({ params })).prompt.length);
    }
    const { injected, failures, skipped } = injector.status();
    return [...seen, injected, failures, skipped];
  };
  expect(await ask({ skills: file })).toEqual([2, 2, 2, 3, 1, 1]);
  expect(await ask({ skills: new URL(`${address}/skills`) })).toEqual([2, 2, 2, 3, 0, 0]);
  expect(await ask({ skills: `${address}/gone` })).toEqual([1, 1, 1, 0, 1, 0]);
  expect(await ask({ skills: once, refreshMs: 0, retryMs: 60_000 })).toEqual([2, 2, 2, 3, 1, 0]);
  expect(loads).toBe(2);
  server.close();
});
