/** Report: what runs showed, as one page that opens without a server. */
export { writeReport, type ReportOptions } from "./page.ts";
