/** The folder of the package, seen from `src/` and from `dist/` alike. Bundled files stand in `dist/` itself. */
export const packageRoot = new URL('../', import.meta.url);
