/** The life of a skill: confidence, utility, credit, decay and retirement. */
export { hasExpired, statusByUse } from "./lifecycle.ts";
export { distilCredit, explorationScore, selectionCredit } from "./skill1.ts";
