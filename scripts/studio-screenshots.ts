/**
 * Pictures of every page of the studio, from a store of real runs.
 *
 *     npm run screenshots -- STORE            those of the documentation, into docs/images
 *     npm run screenshots -- STORE FOLDER     every page, on a desktop, on a phone and dark, to be looked at
 *
 * The store needs a finished training with a teacher (`limbeck train`) and is richer with a second one and with one that
 * rolled out trees (`limbeck train --strategy tree`).
 */
import { spawn } from "node:child_process";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Page } from "playwright-core";
import type { Answer, EndpointName } from "../packages/studio/src/serve/api.ts";
import { browserPath, NEEDS_BROWSER } from "../test/support/browser.ts";

const ROOT = join(import.meta.dirname, "..");
const IMAGES = join(ROOT, "docs", "images");
/** A picture in a repository is paid for by everyone who clones it. */
const MOST_BYTES = 250_000;
/** A busy machine is no reason for a missing picture. */
const PATIENCE_MS = 180_000;

interface Shot {
  readonly name: string;
  readonly place: string;
  readonly theme?: "light" | "dark";
  readonly phone?: boolean;
  readonly before?: (page: Page) => Promise<void>;
  /** No page of the documentation shows it. */
  readonly only?: "look";
}

const VARIANTS: readonly Pick<Shot, "theme" | "phone">[] = [{}, { theme: "dark" }, { phone: true }];

const [store = "runs", looked] = process.argv.slice(2);
const folder = looked ?? IMAGES;
if (browserPath === undefined) throw new Error(`No browser: ${NEEDS_BROWSER}.`);
const { entrance, stop } = await startStudio(store);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
try {
  await mkdir(folder, { recursive: true });
  const shots = await shotsOf(entrance);
  const wanted = looked === undefined ? shots.filter(({ only }) => only !== "look") : shots.flatMap(everyVariant);
  for (const shot of wanted) process.stdout.write(`${await take(shot)}\n`);
} finally {
  await browser.close();
  stop();
}

function everyVariant(shot: Shot): Shot[] {
  if (shot.phone === true) return [shot];
  return VARIANTS.map((variant) => {
    const way = variant.phone === true ? "-phone" : variant.theme === "dark" ? "-dark" : "";
    return { ...shot, theme: "light", ...variant, name: `${shot.name}${way}` };
  });
}

async function take({ name, place, theme = "light", phone = false, before }: Shot): Promise<string> {
  const viewport = phone ? { width: 390, height: 800 } : { width: 1280, height: 800 };
  const page = await browser.newPage({ viewport, colorScheme: theme, hasTouch: phone, isMobile: phone });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${entrance}${place}`);
  await page.locator("main h1").first().waitFor();
  await before?.(page);
  await settle(page);
  const file = join(folder, `studio-${name}.png`);
  await page.screenshot({ path: file, fullPage: looked !== undefined });
  await page.close();
  const { size } = await stat(file);
  if (looked === undefined && size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}.`);
  return `${file}  ${size} bytes`;
}

/** Nothing is on its way any more, and what moves has come to rest. */
async function settle(page: Page): Promise<void> {
  for (;;) {
    await page.waitForLoadState("domcontentloaded");
    await page.waitForTimeout(800);
    if ((await page.locator(".loading, .waiting").count()) === 0) return;
  }
}

async function shotsOf(address: string): Promise<Shot[]> {
  const { runs } = await ask(address, "runs", "/api/runs");
  const trainings = runs.filter(({ kind, status }) => kind === "train" && status === "finished");
  const details = await Promise.all(trainings.map(({ id }) => ask(address, "run", `/api/runs/${id}`)));
  const taught = details.find(({ credited, recipe }) => credited.length > 0 && recipe === "opid");
  const credited = taught?.credited.at(0);
  if (taught === undefined || credited === undefined) {
    throw new Error(`${store} has no finished training with a teacher and stored credit; make one: limbeck train.`);
  }
  const group = await ask(address, "group", `/api/runs/${taught.id}/group?id=${encodeURIComponent(credited.group)}`);
  const failed = group.trajectories.find(({ outcome }) => outcome === "failure")?.id ?? group.trajectories[0]?.id ?? "";
  const solved = group.trajectories.find(({ outcome }) => outcome === "success")?.id ?? failed;
  const episode = (id: string): string => `#/runs/${taught.id}/trajectory/${encodeURIComponent(id)}`;
  const branched = await mostBranched(
    address,
    runs.map(({ id }) => id),
  );
  const compared = trainings.slice(0, 3).map(({ id }) => `run=${id}`);
  const imported = runs.find(({ kind }) => kind === "import" || kind === "record");
  const traces = imported && (await ask(address, "trajectories", `/api/trajectories?run=${imported.id}&sort=steps`));
  const trace = traces?.trajectories[0];
  const { arenas } = await ask(address, "arenas", "/api/arenas");
  const arena = arenas.find(({ problem }) => problem === null);
  return [
    { name: "runs", place: "#/runs" },
    { name: "compare", place: `#/compare?${compared.join("&")}` },
    { name: "run", place: `#/runs/${taught.id}` },
    { name: "trajectories", place: `#/trajectories?run=${taught.id}` },
    { name: "trajectory", place: `${episode(failed)}?step=1`, before: holdWord },
    {
      name: "siblings",
      place: `${episode(failed)}?with=${encodeURIComponent(solved)}&colour=teacher`,
      theme: "dark",
      before: toParting,
    },
    { name: "tree", place: `#/runs/${branched.run}/tree/${encodeURIComponent(branched.group)}` },
    { name: "skills", place: `#/skills?source=run&run=${taught.id}`, before: openSkill },
    { name: "play", place: "#/play", before: play },
    { name: "phone", place: episode(failed), phone: true, theme: "dark" },
    ...(arena === undefined ? [] : [{ name: "arena", place: `#/arena/${arena.id}` }]),
    { name: "train", place: "#/train", only: "look" },
    { name: "judge", place: "#/judge", only: "look" },
    { name: "trees", place: `#/runs/${taught.id}/tree`, only: "look" },
    { name: "fleet", place: "#/fleet", only: "look" },
    ...(trace === undefined
      ? []
      : [
          { name: "imported", place: `#/runs/${trace.run}`, only: "look" as const },
          {
            name: "trace",
            place: `#/runs/${trace.run}/trajectory/${encodeURIComponent(trace.id)}`,
            only: "look" as const,
          },
        ]),
  ];
}

async function holdWord(page: Page): Promise<void> {
  await page.locator(".step.held [data-token]").first().waitFor();
  const words = page.locator(".step.held [data-token]");
  await words.nth(Math.min(2, (await words.count()) - 1)).hover();
}

async function toParting(page: Page): Promise<void> {
  await page.locator(".parting-line").first().scrollIntoViewIfNeeded();
  await page.evaluate("scrollBy(0, 250)");
}

async function openSkill(page: Page): Promise<void> {
  await page.locator("tbody .link").first().click();
  await page.getByRole("heading", { name: "Evidence" }).waitFor();
}

async function play(page: Page): Promise<void> {
  await page.getByLabel("World").selectOption("household");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  for (const _ of [1, 2]) {
    await page.locator(".action .number").first().waitFor();
    await page.locator(".action").first().click();
    await settle(page);
  }
  await page.keyboard.press("u");
  await page.locator(".action .number").first().waitFor();
  await page.locator(".action").nth(1).click();
  await page.locator(".action .number").first().waitFor();
  await page.getByText("asking the policy").waitFor({ state: "detached" });
}

async function mostBranched(address: string, runs: readonly string[]): Promise<{ run: string; group: string }> {
  let best = { run: "", group: "", branches: -1 };
  for (const run of runs) {
    const { groups } = await ask(address, "groups", `/api/runs/${run}/groups?mixed=true&limit=200`);
    for (const { group, branches } of groups) if (branches > best.branches) best = { run, group, branches };
  }
  return best;
}

async function ask<Name extends EndpointName>(address: string, _name: Name, path: string): Promise<Answer<Name>> {
  const { origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get("token") ?? ""}` };
  const answer = await fetch(`${origin}${path}`, { headers });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as Answer<Name>;
}

/** The command itself, so that the pictures show what a user sees. */
async function startStudio(root: string): Promise<{ entrance: string; stop: () => void }> {
  const words = [
    "--import",
    "tsx",
    "packages/limbeck/src/cli/bin.ts",
    "studio",
    "--store",
    root,
    "--port",
    "0",
    "--no-open",
    "--json",
  ];
  // Pages on which something can be done show it only where that is allowed.
  if (looked !== undefined) words.push("--write", "--train");
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { readonly url?: string };
    if (url !== undefined) return { entrance: url, stop: () => child.kill() };
  }
  throw new Error("limbeck studio ended before it listened.");
}
