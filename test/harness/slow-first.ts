/**
 * Starts the longest files first: one of them at the end would keep one core busy and leave the others idle. Most of
 * them wait for something, so each is followed by one that computes.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take long. Without times of an earlier run, vitest starts the small files last. */
const slow = [
  'attack/attack',
  'check',
  'db/(away|embedded-restart|failover)',
  'events/webhook-failures',
  'fuzz/fuzz',
  'guard/races',
  'deploy/rolling-restarts',
  'phone/(next-channel|second-route)',
  'process/(broken-setups|budget-leases|drain|import-killed|key-rotation|kill|processes|second-route|webhooks)',
  'sms/dispatch',
  'transactions/import-refused',
].map((name) => new RegExp(`test/${name}\\.test\\.ts$`));

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [waiting, computing] = [sorted.filter(isSlow), sorted.filter((file) => !isSlow(file))];
    const alternating = waiting.flatMap((file, index) => [file, ...computing.slice(index, index + 1)]);
    return [...alternating, ...computing.slice(waiting.length)];
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return slow.some((name) => name.test(moduleId));
}
