/** A worker that solves one challenge. */
import { createSolver, parseChallenge } from './proof-of-work.ts';

/** The part of a worker's scope that is used here: the compiler knows only Node's types. */
declare function addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
declare function postMessage(solution: string | undefined): void;

addEventListener('message', ({ data }) => {
  const puzzles = parseChallenge(data);
  postMessage(puzzles && createSolver(puzzles)(Infinity));
});
