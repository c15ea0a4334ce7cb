/** Cuts SQL text into its statements, without comments. Semicolons inside quotes and function bodies do not count. */

/** In this order: comments, strings (also E'…' with backslashes), quoted names, dollar-quoted text, a semicolon. */
const token =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;/g;

export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  let position = 0;
  for (const match of text.matchAll(token)) {
    const [found] = match;
    current += text.slice(position, match.index);
    position = match.index + found.length;
    if (found === ';') {
      statements.push(current.trim());
      current = '';
    } else current += found.startsWith('--') || found.startsWith('/*') ? ' ' : found;
  }
  statements.push((current + text.slice(position)).trim());
  return statements.filter((statement) => statement !== '');
}
