/** The part of oidc-provider that the tests use. Its published types bring 17 packages. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Context {
    body: unknown;
    oidc: { client?: { clientId: string }; session?: { accountId?: string } };
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  interface Configuration {
    findAccount?(context: Context, accountId: string): object;
    interactions?: { url(context: Context, interaction: { uid: string }): string };
    loadExistingGrant?(context: Context): Promise<Grant>;
    extraTokenClaims?(context: Context, token: { clientId?: string }): object | undefined;
    features?: {
      rpInitiatedLogout?: { enabled: boolean; logoutSource(context: Context, form: string): void };
      [name: string]: unknown;
    };
    [name: string]: unknown;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
    interactionFinished(...parameters: [...Parameters<RequestListener>, result: object]): Promise<void>;
    Grant: new (owner: { clientId: string; accountId: string }) => Grant;
  }
}
