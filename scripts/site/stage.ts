/**
 * Lays the pages out as the site has them, in a folder that is thrown away: the pages of docs and README.md as they are but for
 * their links, the API reference, and what a page links to outside docs.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { table } from "../docs/markdown.ts";
import { docPages } from "../docs/page-list.ts";
import { apiReference, type ApiPage } from "./api-reference.ts";
import { homePage } from "./home.ts";
import { navigationOf, type NavigationShelf } from "./navigation.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Beside node_modules, so that the pages find Vue; ignored by git. */
export const SITE = join(root, ".cache", "docs-site");
const PAGES = join(SITE, "pages");

/** What the configuration of the site reads. */
export interface Staged {
  readonly navigation: readonly NavigationShelf[];
  readonly api: readonly Pick<ApiPage, "path" | "door">[];
}

const LANGUAGES: Readonly<Record<string, string>> = { ".ts": "ts", ".json": "json", ".yaml": "yaml", ".mjs": "js" };

/** Pages of the site by the file they are made from. */
const RENAMED: Readonly<Record<string, string>> = { "README.md": "index.md", "docs/index.md": "contents.md" };

/** The place of a file of the repository on the site; those of docs lose their folder. */
function placeOf(path: string): string {
  const renamed = RENAMED[path];
  if (renamed !== undefined) return renamed;
  if (isFolder(path)) return `files/${path.replace(/^docs\//, "")}.md`;
  const place = path.startsWith("docs/") ? path.slice("docs/".length) : `files/${path}`;
  // A file called README.md or index.md would take the place of its folder.
  if (extname(path) === ".md") return place.replace(/(?:README|index)\.md$/, "about.md");
  return LANGUAGES[extname(path)] === "ts" ? `${place}.md` : place;
}

const isFolder = (path: string): boolean => statSync(join(root, path)).isDirectory();

export function stage(): Staged {
  rmSync(PAGES, { recursive: true, force: true });
  const queue = ["README.md", ...docPages(root)];
  const seen = new Set(queue);
  // The queue grows while it is walked: pages bring what they link to.
  for (const path of queue) {
    layOut(path, (linked) => {
      if (seen.has(linked)) return;
      seen.add(linked);
      queue.push(linked);
    });
  }
  const api = apiReference();
  for (const { path, text } of api) write(path, text);
  cpSync(join(root, "docs", "images"), join(PAGES, "public", "images"), { recursive: true });
  const navigation = navigationOf(readFileSync(join(root, "docs", "index.md"), "utf8"));
  const staged: Staged = { navigation, api: api.map(({ path, door }) => ({ path, door })) };
  writeFileSync(join(SITE, "staged.json"), JSON.stringify(staged));
  return staged;
}

function layOut(path: string, bring: (path: string) => void): void {
  const place = placeOf(path);
  if (isFolder(path)) return write(place, folderPage(path, bring));
  const text = readFileSync(join(root, path), "utf8");
  if (path.endsWith(".md")) {
    const page = path === "README.md" ? homePage(text) : text;
    // Names without their meaning, and pages of files, would crowd the answers of a search.
    const matter =
      path === "docs/lookup/generated/api.md" || place.startsWith("files/") ? "---\nsearch: false\n---\n\n" : "";
    return write(place, `${matter}${relinked(page, path, bring)}`);
  }
  const language = LANGUAGES[extname(path)];
  if (place.endsWith(".md")) {
    return write(
      place,
      `---\nsearch: false\n---\n\n# ${posix.basename(path)}\n\n\`${path}\`\n\n\`\`\`\`${language ?? "text"}\n${text}\`\`\`\`\n`,
    );
  }
  const to = join(PAGES, "public", place);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, path), to);
}

/** A folder of figures: its files, to take along. */
function folderPage(path: string, bring: (path: string) => void): string {
  const rows = readdirSync(join(root, path)).map((name) => {
    const file = `${path}/${name}`;
    bring(file);
    return [`[${name}](/${placeOf(file)})`, `${Math.ceil(statSync(join(root, file)).size / 1024)} KiB`];
  });
  return `---\nsearch: false\n---\n\n# ${path}\n\n${table(["file", "size"], rows)}\n`;
}

/** The page with its links turned to where things lie on the site. Code stays as it is. */
function relinked(text: string, path: string, bring: (path: string) => void): string {
  const from = dirname(placeOf(path));
  return text
    .split(/(^```[\s\S]*?^```$|`[^`\n]*`)/m)
    .map((part, at) => {
      if (at % 2 === 1) return part;
      // On the site a tag would be one; of tags the pages have only line breaks and comments.
      const safe = part.replaceAll(/(?<!\\)<(?!br>|!--)/g, "&lt;");
      return safe.replaceAll(/(\]\()(?!\w+:|#|\/)([^)#"\s]+)/g, (whole, open: string, link: string) => {
        const target = posix.normalize(posix.join(posix.dirname(path), link));
        if (!existsSync(join(root, target))) return whole;
        if (target.startsWith("docs/images/")) return `${open}/${target.slice("docs/".length)}`;
        bring(target);
        const place = placeOf(target);
        return `${open}${place.endsWith(".md") ? relativeTo(from, place) : `/${place}`}`;
      });
    })
    .join("");
}

function relativeTo(from: string, place: string): string {
  const path = posix.relative(from, place);
  return path.startsWith(".") ? path : `./${path}`;
}

function write(place: string, text: string): void {
  const to = join(PAGES, place);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}
