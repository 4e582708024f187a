/** The process of one run of an arena, bundled, so that a test can start and kill it quickly. */
await import("../../packages/training/src/arena/arm-process.ts");
