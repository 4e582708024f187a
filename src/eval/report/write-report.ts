/** A report of runs as one HTML file: nothing in it asks another host for anything, so it opens from disk anywhere. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Store } from "../../store/store.ts";
import { lineChart } from "./chart.ts";
import { markup } from "./html.ts";
import { readRun, reported, type Evaluated } from "./read-run.ts";

export interface ReportOptions {
  /** The runs, the first of them in full; the others are compared with it. */
  readonly runs: readonly { readonly run: string; readonly label: string }[];
  /** The file to write; one that is there is replaced. */
  readonly file: string;
}

export async function writeReport(store: Store, { runs, file }: ReportOptions): Promise<void> {
  const read = [];
  for (const [style, { run, label }] of runs.entries()) read.push(await readRun(store, run, label, style));
  const rows = read.map(
    (run) =>
      markup`<tr><th>${run.label}</th><td>${shareText(reported(run, "before"))}</td><td>${shareText(reported(run, "after"))}</td></tr>`,
  );
  const curves = read.map((run) => ({
    label: run.label,
    points: run.metrics.get("success") ?? [],
    style: run.style,
  }));
  const page = markup`<!doctype html><html lang="en"><meta charset="utf-8"><title>Limbeck report</title><table>${rows}</table>${lineChart(curves, { title: "Success", xLabel: "update", yLabel: "share of training episodes", range: [0, 1] })}</html>`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, page.html);
}

function shareText(share: Evaluated | undefined): string {
  return share === undefined ? "not measured" : `${share.success} (${share.low} to ${share.high})`;
}
