/** The document around a page: one file that asks no other host for anything. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { markup, type Html } from "./html.ts";
import { SCRIPT } from "./script.ts";

const STYLE = new URL("../../../data/report.css", import.meta.url);

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
