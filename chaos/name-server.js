/**
 * Loaded into a service before its own code: its look-ups of webhook receivers go to the name server of the run, which
 * never answers.
 */
import dns from 'node:dns';

const { Resolver } = dns.promises;

dns.promises.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.CHAOS_NAME_SERVER]);
  }
};
