/** Starts the longest files first: one of them at the end would keep one core busy and leave the others idle. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files that take long, so that vitest, which goes by the size where it knows no times, starts them last. */
const slow = /test\/(chaos\/chaos|attack\/attack|fuzz\/fuzz|guard\/races|process\/(drain|webhooks|kill))\.test\.ts$/;

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return slow.test(moduleId);
}
