import { intentAgent } from "./agent.ts";

// oxlint-disable-next-line import/no-default-export -- --policy reads the default.
export default intentAgent("memoryless");
