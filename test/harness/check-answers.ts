/**
 * Runs before each test file: an answer that openapi.json does not describe fails the test that received it. The files
 * of one process share `checked-answers.ts`, but hooks belong to a file.
 */
import { afterAll, afterEach } from 'vitest';
import { forgetServices, reportAnswers } from './checked-answers.ts';

afterEach(reportAnswers);
afterAll(async () => {
  await reportAnswers();
  forgetServices();
});
