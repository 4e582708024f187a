/**
 * The shop over standard input and output as a program of its own, so that a test starts it without compiling. Imported
 * when it runs: a bundle leaves out a module of which nothing is used.
 */
await import("../../packages/worlds/src/tools/mcp-stdio.ts");
