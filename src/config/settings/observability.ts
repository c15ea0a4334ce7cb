/** Logs and metrics. */
import { integer, oneOf, setting, url } from '../../formats/setting-kinds.ts';

const logLevels = oneOf('debug', 'info', 'warn', 'error', 'silent');

export const observabilitySettings = {
  logLevel: setting({
    env: 'LEDGERLINE_LOG_LEVEL',
    kind: logLevels,
    default: 'info',
    about: 'Lowest level that is logged.',
  }),
  logFormat: setting({
    env: 'LEDGERLINE_LOG_FORMAT',
    kind: oneOf('json', 'text'),
    defaultText: 'text on a terminal, else json',
    about: 'Format of the log lines.',
  }),
  tracesEndpoint: setting({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: url('http', 'https'),
    about:
      'Where traces are sent (OTLP over HTTP). Needs the optional OpenTelemetry packages; OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER are read too.',
  }),
  metricsPort: setting({
    env: 'LEDGERLINE_METRICS_PORT',
    kind: integer(0, 65535),
    defaultText: 'none: on PORT in the sandbox, off in production',
    about: 'Separate port for /metrics.',
  }),
};
