/**
 * Browsers limit the height of an element: Chromium to 33,554,428 pixels, Firefox to about 17,800,000. A list that is
 * taller gets a box of `boxLimit` pixels, and its positions are mapped to positions of the box. Short movements are
 * passed on pixel by pixel; long ones, such as a dragged scroll bar, in proportion.
 */
export const boxLimit = 12_000_000;

/** Movements longer than this many screens between two frames come from the scroll bar or the End key. */
const jumpScreens = 3;

export class ScrollRange {
  readonly listHeight: number;
  readonly boxHeight: number;
  readonly #screenHeight: number;
  /** The position in the list minus the position in the box. */
  offset = 0;
  #boxTop = 0;
  #isJumping = false;

  constructor(listHeight: number, screenHeight: number) {
    this.listHeight = listHeight;
    this.boxHeight = Math.min(listHeight, boxLimit);
    this.#screenHeight = screenHeight;
  }

  get isMapped(): boolean {
    return this.listHeight > this.boxHeight;
  }

  /** The position in the list at the top of the screen, once the box has been scrolled to `boxTop`. */
  scrolledTo(boxTop: number): number {
    const distance = Math.abs(boxTop - this.#boxTop);
    this.#boxTop = boxTop;
    if (!this.isMapped) return boxTop;
    if (distance > jumpScreens * this.#screenHeight) this.#isJumping = true;
    if (this.#isJumping) this.offset = this.#offsetAt(boxTop);
    return boxTop + this.offset;
  }

  /** Moves the box so that a position in the list is at the top of the screen; returns the position of the box. */
  moveTo(listTop: number): number {
    if (!this.isMapped) return listTop;
    const scale = (this.boxHeight - this.#screenHeight) / (this.listHeight - this.#screenHeight);
    const boxTop = Math.round(listTop <= 0 ? listTop : listTop * scale);
    this.offset = listTop - boxTop;
    this.#boxTop = boxTop;
    this.#isJumping = false;
    return boxTop;
  }

  /**
   * After a movement has ended: the position of the box that shows the same part of the list with room on both sides,
   * or undefined if the box can stay where it is.
   */
  settle(): number | undefined {
    if (!this.isMapped) return undefined;
    const before = this.#boxTop;
    const after = this.moveTo(before + this.offset);
    return Math.abs(after - before) < 1 ? undefined : after;
  }

  /** Whether the box is at an end while the list is not, so that it has to be moved before anything else. */
  get isStuck(): boolean {
    const listTop = this.#boxTop + this.offset;
    const [boxEnd, listEnd] = [this.boxHeight - this.#screenHeight, this.listHeight - this.#screenHeight];
    return this.isMapped && ((this.#boxTop <= 0 && listTop > 1) || (this.#boxTop >= boxEnd && listTop < listEnd - 1));
  }

  /** In proportion: 0 at the top of the box, all of the difference at its end. */
  #offsetAt(boxTop: number): number {
    const share = boxTop / (this.boxHeight - this.#screenHeight);
    return (this.listHeight - this.boxHeight) * Math.min(Math.max(share, 0), 1);
  }
}
