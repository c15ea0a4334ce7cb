/**
 * The page's content security policy requires trusted types. This is the only policy that it allows, and it lets one
 * script start as a worker: the one that solves challenges.
 */
const workerFile = /^\/assets\/challenge-worker-[\w-]+\.js$/;

interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL(address: string): string | null }): void;
}

const { trustedTypes } = window as { trustedTypes?: TrustedTypes };

trustedTypes?.createPolicy('default', {
  createScriptURL(address) {
    const { origin, pathname } = new URL(address, location.href);
    return origin === location.origin && workerFile.test(pathname) ? address : null;
  },
});
