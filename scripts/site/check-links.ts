/** Looks through the built site: links to pages and places that are not there, and whatever would be loaded from elsewhere. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, sep } from "node:path";

export interface SiteCheck {
  readonly pages: number;
  readonly links: number;
  /** `opid.html: /gone.html`. */
  readonly dead: readonly string[];
  /** Scripts, styles, pictures and frames that lie on another machine. */
  readonly foreign: readonly string[];
}

export function checkSite(folder: string): SiteCheck {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".html"));
  const known = new Map(pages.map((path) => [path, readPage(readFileSync(join(folder, path), "utf8"))]));
  let links = 0;
  const dead: string[] = [];
  const foreign: string[] = [];
  for (const [path, page] of known) {
    for (const source of page.loads.filter((one) => /^(?:\w+:)?\/\//.test(one)))
      foreign.push(`${path}: loads ${source}`);
    for (const link of [...page.links, ...page.loads]) {
      if (/^(?:\w+:|\/\/)/.test(link)) continue;
      links += 1;
      if (!leadsSomewhere(folder, path, link, known)) dead.push(`${path}: ${link}`);
    }
  }
  return { pages: pages.length, links, dead, foreign };
}

interface Page {
  readonly links: readonly string[];
  readonly loads: readonly string[];
  readonly places: ReadonlySet<string>;
}

function readPage(html: string): Page {
  const all = (form: RegExp): string[] => [...html.matchAll(form)].map(([, value = ""]) => decoded(value));
  return {
    links: all(/<a\s[^>]*?\bhref="([^"]*)"/g),
    loads: [
      ...all(/<(?:script|img|iframe|source)\s[^>]*?\bsrc="([^"]*)"/g),
      ...all(/<link\s[^>]*?\bhref="([^"]*)"/g),
    ].filter((source) => !source.startsWith("data:")),
    places: new Set(all(/\s(?:id|name)="([^"]*)"/g)),
  };
}

function decoded(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}

function leadsSomewhere(folder: string, from: string, link: string, known: ReadonlyMap<string, Page>): boolean {
  const { pathname, hash } = new URL(link, `http://site/${from}`);
  const path = posix.normalize(decodeURIComponent(pathname)).replace(/^\//, "");
  const page = [path, `${path}.html`, posix.join(path, "index.html")].find((one) => known.has(one));
  if (page === undefined) return hash === "" && isFile(join(folder, path));
  return hash === "" || known.get(page)?.places.has(decodeURIComponent(hash.slice(1))) === true;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
