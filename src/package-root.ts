/** The folder of the package, relative to `src/` and to `dist/`. Bundled files are directly in `dist/`. */
export const packageRoot = new URL('../', import.meta.url);
