/** The order of the site is that of docs/index.md: a heading is a section, a link is a page. */

export interface NavigationItem {
  readonly text: string;
  /** `opid.md`. */
  readonly page: string;
}

export interface NavigationSection {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

export function navigationOf(index: string): NavigationSection[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      const links = [...lines.join(" ").matchAll(/\[([^\]]+)\]\(([\w-]+\.md)\)/g)];
      const items = links.map(([, text = "", page = ""]) => ({
        text: `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replaceAll(/\s+/g, " "),
        page,
      }));
      return { title: title.trim(), items };
    });
}
