/** The front page of the site: the README, with its beginning as the site's own. */

/** The demo's page first, then the four doors of the README's table. */
export function homePage(readme: string): string {
  const [opening, sentence, rest] = taken(
    readme,
    /^# Limbeck\n\n\*\*([^*]+)\*\*((?:.|\n(?!\n))*)\n/,
    "its title and the sentence about what it is",
  );
  const [picture, alternative, source] = taken(
    readme,
    /^!\[([^\]]+)\]\((docs\/images\/demo\.svg)\)\n/m,
    "the picture of the demo",
  );
  const [table] = taken(readme, /^\| you have \|[\s\S]*?\n(?=\n)/m, "the table of ways in");
  const doors = [...table.matchAll(/^\| \*\*([^*]+)\*\*([^|]*)\| ([^|]*?) \| \[([^\]]+)\]\(docs\/([\w/-]+)\.md\)/gm)];
  if (doors.length !== 4) throw missing(`four ways in, each with a page (${doors.length} were found)`);
  const matter = {
    layout: "home",
    hero: {
      name: "Limbeck",
      text: sentence.replace(/\.$/, ""),
      tagline: rest.replaceAll(/\s+/g, " ").trim(),
      image: { src: `/${source.replace("docs/", "")}`, alt: alternative },
      actions: [
        { theme: "brand", text: "See the demo", link: "/learn/demo" },
        { theme: "alt", text: "Your own agent in ten minutes", link: "/learn/ten-minutes" },
        { theme: "alt", text: "What it is", link: "/learn/what-it-is" },
      ],
    },
    features: doors.map(([, thing = "", more = "", does = "", words = "", page = ""]) => ({
      title: `You have ${thing}`,
      details: `${plain(`${thing}${more}`)}: ${plain(does)}.`
        .replace(`${thing}: `, "")
        .replace(/^./, (first) => first.toUpperCase()),
      link: `/${page}`,
      linkText: words.charAt(0).toUpperCase() + words.slice(1),
    })),
  };
  const body = readme
    .replace(opening, "")
    .replace(picture, "")
    .replace(table, "")
    .replace(/^## Four ways in\n/m, "");
  // JSON is YAML.
  return `---\n${JSON.stringify(matter)}\n---\n\n${body.trim()}\n`;
}

function plain(text: string): string {
  return text.replaceAll(/[`*]/g, "").trim();
}

function taken(text: string, form: RegExp, what: string): readonly [string, string, string] {
  const found = form.exec(text);
  if (found === null) throw missing(what);
  return [found[0], found[1] ?? "", found[2] ?? ""];
}

function missing(what: string): Error {
  return new Error(
    `The front page of the site is made from README.md, and ${what} is not there as scripts/site/home.ts looks for it. Change one of the two.`,
  );
}
