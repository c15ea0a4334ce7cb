/** The base of the elements that send requests to the service, with a token from the host page. */
import type { ComponentChild } from 'preact';
import type { TokenSource } from '../../client/token.ts';
import { notingErrors } from '../data/cors.ts';
import { DrawnElement } from './drawn-element.ts';

export abstract class ServiceElement<Texts extends object> extends DrawnElement<Texts> {
  #getToken: TokenSource | undefined;
  /** Calls the host page's current callback, so that a client can be kept when the page sets another one. */
  readonly #token = notingErrors((refused) => this.#getToken?.(refused) ?? '');
  #kept: { client: unknown; key: string } | undefined;

  /** The content once there is a token, or null as long as an attribute is missing. */
  protected abstract authorizedContent(): ComponentChild;

  get getToken(): TokenSource | undefined {
    return this.#getToken;
  }

  set getToken(getToken: TokenSource | undefined) {
    this.#getToken = getToken;
    this.draw();
  }

  /** The address of the service; empty for the page's own origin. */
  protected get serviceUrl(): string {
    return this.getAttribute('base-url') ?? '';
  }

  /** The client of the last drawing, if the service and `settings` are still the same. */
  protected keepClient<Client>(settings: string, create: (token: TokenSource) => Client): Client {
    const key = `${this.serviceUrl} ${settings}`;
    if (this.#kept?.key !== key) this.#kept = { client: create(this.#token), key };
    return this.#kept.client as Client;
  }

  /** The attributes without which nothing is shown. */
  protected abstract missingAttributes(): string[];

  protected missing(): string[] {
    return [...(this.#getToken ? [] : ['the property getToken']), ...this.missingAttributes()];
  }

  protected content(): ComponentChild {
    return this.#getToken ? this.authorizedContent() : null;
  }
}
