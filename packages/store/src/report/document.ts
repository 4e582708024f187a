/** The document around a page: one file that asks no other host for anything. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { markup, type Html } from "./html.ts";
import { EngineError } from "limbeck-base/base/errors";
import { replaceFile } from "limbeck-base/base/files";

const STYLE = new URL("../../data/report.css", import.meta.url);

/**
 * The policy allows this page's own script and style and nothing from anywhere: text of a run that slipped through as
 * markup could still not run or load anything.
 */
export function documentOf(title: string, body: Html): string {
  const allowed = createHash("sha256").update(SCRIPT).digest("base64");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${allowed}'; base-uri 'none'; form-action 'none'`;
  const head = markup`<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} · Limbeck</title><link rel="icon" href="data:,">`;
  return `<!doctype html>\n<html lang="en"><head>${head.html}<style>${readFileSync(STYLE, "utf8")}</style></head>\n<body>${body.html}\n<script>${SCRIPT}</script></body></html>\n`;
}

/** The little that needs a script: the numbers of a word in a bar below, for fingers, which cannot hover. */
export const SCRIPT = `
const bar = document.getElementById("readout");
const show = (event) => {
  const word = event.target.closest(".words i");
  if (word === null) return;
  document.querySelector(".words i.held")?.classList.remove("held");
  word.classList.add("held");
  bar.textContent = word.title;
  bar.hidden = false;
};
document.addEventListener("click", show);
document.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") show(event); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") bar.hidden = true; });
`;

// Files of a report, which a browser may have open.

/** Whole or not at all. */
export async function writeReportFile(file: string, content: string | Uint8Array): Promise<void> {
  await replaceFile(file, content).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("file-error", `The report cannot be written to "${file}": ${why}. Give another file.`, {
      cause,
    });
  });
}
