/** Numbers as people read them. */
export { formatBytes, formatCount, formatDuration, formatNumber, formatRate, plural } from "../../base/units.ts";
