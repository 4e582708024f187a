import { defineConfig } from "vite";

export default defineConfig({
  // Addresses of files are relative, so that the page works below any path.
  base: "./",
  build: {
    outDir: "../dist/pages",
    emptyOutDir: true,
    // The server's content policy allows no inline script; a preloading helper would be one.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: "es2023",
  },
});
