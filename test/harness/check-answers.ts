/**
 * Runs before each test file: an answer that openapi.json does not describe fails the test that received it, and the
 * report of a failed test shows what the services have logged. The files of one process share the modules imported here,
 * but hooks belong to a file.
 */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { forgetServices, reportAnswers } from './checked-answers.ts';
import { beginTest, forgetLogs, readWarnings } from './service-logs.ts';

beforeEach(({ onTestFailed }) => {
  beginTest();
  onTestFailed(() => {
    const warnings = readWarnings();
    if (warnings) console.error(`The services have logged:\n${warnings}`);
  });
});
afterEach(reportAnswers);
afterAll(async () => {
  await reportAnswers();
  forgetServices();
  forgetLogs();
});
