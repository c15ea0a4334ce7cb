/** An error that stops the import of the whole file, with its line. The message has no full stop. */
export class UnusableFile extends Error {
  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`);
    this.name = 'UnusableFile';
  }
}
