/** What the sandbox prints when it has started: where everything is, and the first calls to try. */
export function banner(url: string, demo: number | undefined): string {
  const lines = [
    '',
    `  Ledgerline sandbox   ${url}`,
    `  A wallet’s activity  ${url}/wallet`,
    `  Operator’s console   ${url}/console`,
    `  Guides, reference    ${url}/docs`,
    `  Texts arrive at      ${url}/sandbox/messages`,
    '',
    '  Get a token (client sandbox, secret sandbox):',
    '',
    `    TOKEN=$(curl -s ${url}/connect/token -d grant_type=client_credentials \\`,
    `      -d client_id=sandbox -d client_secret=sandbox | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
    '',
  ];
  if (demo !== undefined) {
    lines.push(
      `  Individual ${demo} has a year of transactions. Look at the newest three:`,
      '',
      `    curl -s ${url}/app/get-all-transactions -H "Authorization: Bearer $TOKEN" \\`,
      `      -H 'Content-Type: application/json' -d '{"individualId":${demo},"dataBatch":1,"dataBatchCount":3}'`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
