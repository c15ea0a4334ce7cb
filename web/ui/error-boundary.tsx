/** Keeps an error that is thrown while one part of a page is drawn from removing the rest of the page. */
import { Component, type ComponentChildren } from 'preact';

interface ErrorBoundaryProps {
  /** What is drawn, such as the name of a view. Something else is tried afresh. */
  of?: unknown;
  /** Drawn instead: says what happened and how to go on. `retry` draws the content again. */
  fallback(retry: () => void): ComponentChildren;
  children: ComponentChildren;
}

interface Failed {
  failed?: { of: unknown } | undefined;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, Failed> {
  override state: Failed = {};

  override componentDidCatch(error: unknown): void {
    // The error monitoring of a page hears it.
    reportError(error);
    this.setState({ failed: { of: this.props.of } });
  }

  override render({ of, fallback, children }: ErrorBoundaryProps, { failed }: Failed): ComponentChildren {
    return failed && failed.of === of ? fallback(() => this.setState({ failed: undefined })) : children;
  }
}
