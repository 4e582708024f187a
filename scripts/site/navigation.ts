/** The order of the site is that of docs/index.md: a heading is a shelf or a section of it, a link is a page. */

export interface NavigationItem {
  readonly text: string;
  /** `learn/opid.md`. */
  readonly page: string;
}

export interface NavigationSection {
  /** "" where a shelf has no sections. */
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

export interface NavigationShelf {
  readonly title: string;
  readonly sections: readonly NavigationSection[];
}

export function navigationOf(index: string): NavigationShelf[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = ""] = part.split("\n", 1);
      return { title: title.trim(), sections: sectionsOf(part.slice(title.length)) };
    });
}

function sectionsOf(shelf: string): NavigationSection[] {
  return shelf
    .split(/^### /m)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      const links = [...lines.join(" ").matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)\)/g)];
      const items = links.map(([, text = "", page = ""]) => ({
        text: `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replaceAll(/\s+/g, " "),
        page,
      }));
      return { title: title.trim(), items };
    })
    .filter(({ items }) => items.length > 0);
}
