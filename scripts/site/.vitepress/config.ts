/** The site that `npm run docs:site` builds. Its pages are laid out by `stage.ts` before this is read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { slug } from "../slug.ts";
import type { Staged } from "../stage.ts";

const site = fileURLToPath(new URL("../../../.cache/docs-site", import.meta.url));
const { navigation, api } = JSON.parse(readFileSync(join(site, "staged.json"), "utf8")) as Staged;
/** The section that has the API reference, which lies on no page of docs. */
const NAMES = "Names and words";
/** Characters from which the text of a cell is a sentence. */
const SENTENCE = 48;
const link = (page: string): string => `/${page.replace(/(?:index)?\.md$/, "")}`;

export default defineConfig({
  title: "Limbeck",
  description: "Language-model agents that learn from their own trajectories, in TypeScript.",
  lang: "en",
  srcDir: join(site, "pages"),
  outDir: join(site, "built"),
  cacheDir: join(site, "cache"),
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/images/icon.svg" }]],
  // Every page is read from files: no dates of git, no edit links, nothing from elsewhere.
  lastUpdated: false,
  markdown: {
    anchor: { slugify: slug },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    config: (md) => {
      // Pages are Markdown, not templates.
      const { text } = md.renderer.rules;
      md.renderer.rules.text = (tokens, at, ...rest) =>
        (text?.(tokens, at, ...rest) ?? "").replaceAll("{{", "&#123;&#123;");
      // Wide tables scroll by themselves, and a keyboard can reach them.
      md.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
      md.renderer.rules.table_close = () => "</table></div>\n";
      md.core.ruler.push("long-cells", ({ tokens }) => {
        for (const [at, token] of tokens.entries()) {
          if (token.type !== "td_open") continue;
          // Code and addresses are not read as a sentence is.
          const words = tokens[at + 1]?.content.replaceAll(/\]\([^)]*\)|`[^`]*`/g, "") ?? "";
          if (words.length > SENTENCE) token.attrJoin("class", "long");
        }
      });
    },
  },
  vite: { publicDir: join(site, "pages", "public"), build: { chunkSizeWarningLimit: 8000 } },
  themeConfig: {
    logo: "/images/icon.svg",
    nav: [
      { text: "Demo", link: "/learn/demo" },
      { text: "Your agent", link: "/learn/ten-minutes" },
      { text: "Methods", link: "/lookup/generated/methods" },
      { text: "API", link: "/api/" },
      { text: "Results", link: "/evidence/results" },
    ],
    sidebar: navigation.map(({ title: shelf, sections }, at) => ({
      text: shelf,
      // The first shelf is open where a reader arrives.
      collapsed: at > 0,
      items: sections.flatMap(({ title, items }) => {
        const own = items.map(({ text, page }) => ({ text, link: link(page) }));
        if (title === "") return own;
        const doors = api.map(({ path, door }) => ({ text: door, link: link(path) }));
        const byDoor = { text: "API by door", collapsed: true, items: doors };
        return [{ text: title, collapsed: at > 0, items: title === NAMES ? [...own, byDoor] : own }];
      }),
    })),
    outline: { level: [2, 3], label: "On this page" },
    search: {
      provider: "local",
      options: { detailedView: false, miniSearch: { searchOptions: { boost: { title: 4, text: 1, titles: 2 } } } },
    },
    docFooter: { prev: "Before", next: "Next" },
  },
});
