/** How the servers that the service is measured beside connect: with the session settings that the service uses. */
export function connectionOptions(max, settings = {}) {
  return {
    max,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      search_path: 'ledgerline',
      TimeZone: 'UTC',
      statement_timeout: 60_000,
      plan_cache_mode: 'force_generic_plan',
      ...settings,
    },
  };
}
