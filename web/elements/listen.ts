/** Listens to an event of an element. `hear` takes the detail of this event. */
export function listen(element: HTMLElement, event: string, hear: (detail: never) => void): void {
  element.addEventListener(event, (heard) => hear((heard as CustomEvent).detail as never));
}
