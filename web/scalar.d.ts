/** The address of Scalar's script, set by vite.config.ts. */
declare const __SCALAR__: string;
