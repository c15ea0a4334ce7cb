/**
 * The kinds of Kubernetes objects in deploy/, and its Compose file, with the members that we use: names, types and what is
 * required, from the published API and specification. A member that is not listed is a mistake until it is added here.
 */
type Schema = Record<string, unknown>;

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const yes = { type: 'boolean' };
const listOf = (items: Schema) => ({ type: 'array', items });
const oneOf = (...values: string[]) => ({ enum: values });
const texts = { type: 'object', additionalProperties: text };
/** A number or the name of a port, or a count or a percentage. */
const numberOrName = { type: ['integer', 'string'] };

function object(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const labels = object({ matchLabels: texts }, ['matchLabels']);
const metadata = object({ name: text, labels: texts }, ['name']);

const probe = object({
  httpGet: object({ path: text, port: numberOrName }, ['port']),
  periodSeconds: count,
  failureThreshold: count,
  timeoutSeconds: count,
});

const container = object(
  {
    name: text,
    image: text,
    args: listOf(text),
    envFrom: listOf(object({ secretRef: object({ name: text }, ['name']) })),
    env: listOf(object({ name: text, value: text }, ['name'])),
    ports: listOf(object({ name: text, containerPort: count }, ['containerPort'])),
    readinessProbe: probe,
    livenessProbe: probe,
    startupProbe: probe,
    resources: object({ requests: texts, limits: texts }),
    securityContext: object({
      allowPrivilegeEscalation: yes,
      readOnlyRootFilesystem: yes,
      capabilities: object({ drop: listOf(text) }),
    }),
    volumeMounts: listOf(object({ name: text, mountPath: text }, ['name', 'mountPath'])),
  },
  ['name'],
);

const pod = object(
  {
    automountServiceAccountToken: yes,
    terminationGracePeriodSeconds: count,
    restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
    securityContext: object({
      runAsNonRoot: yes,
      runAsUser: count,
      runAsGroup: count,
      seccompProfile: object({ type: oneOf('RuntimeDefault', 'Localhost', 'Unconfined') }, ['type']),
    }),
    topologySpreadConstraints: listOf(
      object(
        {
          maxSkew: count,
          topologyKey: text,
          whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
          labelSelector: labels,
        },
        ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
      ),
    ),
    containers: listOf(container),
    volumes: listOf(object({ name: text, emptyDir: object({ sizeLimit: text }) }, ['name'])),
  },
  ['containers'],
);

const template = object({ metadata: object({ labels: texts }), spec: pod }, ['spec']);
const port = object({ port: numberOrName, protocol: oneOf('TCP', 'UDP', 'SCTP') });

/** The content of `spec` by apiVersion and kind. */
const specs: Record<string, Schema> = {
  'apps/v1 Deployment': object(
    {
      replicas: count,
      strategy: object({ rollingUpdate: object({ maxUnavailable: numberOrName, maxSurge: numberOrName }) }),
      selector: labels,
      template,
    },
    ['selector', 'template'],
  ),
  'batch/v1 Job': object({ backoffLimit: count, ttlSecondsAfterFinished: count, template }, ['template']),
  'policy/v1 PodDisruptionBudget': object({ maxUnavailable: numberOrName, selector: labels }),
  'v1 Service': object({
    selector: texts,
    ports: listOf(object({ name: text, port: count, targetPort: numberOrName }, ['port'])),
  }),
  'networking.k8s.io/v1 NetworkPolicy': object(
    {
      podSelector: labels,
      policyTypes: listOf(oneOf('Ingress', 'Egress')),
      ingress: listOf(object({ ports: listOf(port), from: listOf(object({ namespaceSelector: labels })) })),
      egress: listOf(object({ ports: listOf(port) })),
    },
    ['podSelector'],
  ),
  'monitoring.coreos.com/v1 PodMonitor': object(
    {
      jobLabel: text,
      selector: labels,
      podMetricsEndpoints: listOf(object({ port: text, interval: text, path: text })),
    },
    ['selector', 'podMetricsEndpoints'],
  ),
};

export function manifestSchema({ apiVersion, kind }: { apiVersion: string; kind: string }): Schema {
  const spec = specs[`${apiVersion} ${kind}`];
  if (!spec) throw new Error(`Add the members of ${apiVersion} ${kind} to test/deploy/manifest-schemas.ts.`);
  return object({ apiVersion: { const: apiVersion }, kind: { const: kind }, metadata, spec }, [
    'apiVersion',
    'kind',
    'metadata',
    'spec',
  ]);
}

const condition = oneOf('service_started', 'service_healthy', 'service_completed_successfully');
const duration = { type: 'string', pattern: '^\\d+(us|ms|s|m|h)$' };

const composeService = object({
  image: text,
  build: object({ context: text, dockerfile: text }, ['context']),
  profiles: listOf(text),
  command: listOf(text),
  environment: texts,
  env_file: text,
  volumes: listOf(text),
  tmpfs: listOf(text),
  ports: listOf(text),
  depends_on: {
    anyOf: [listOf(text), { type: 'object', additionalProperties: object({ condition }, ['condition']) }],
  },
  healthcheck: object({ test: listOf(text), interval: duration, timeout: duration, retries: count }, ['test']),
  restart: { type: 'string', pattern: '^(no|always|on-failure(:\\d+)?|unless-stopped)$' },
  stop_grace_period: duration,
  read_only: yes,
  cap_drop: listOf(text),
  security_opt: listOf(text),
});

export const composeSchema: Schema = {
  type: 'object',
  properties: {
    name: text,
    services: { type: 'object', additionalProperties: composeService },
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
  },
  required: ['services'],
  // Values that several services use.
  patternProperties: { '^x-': {} },
  additionalProperties: false,
};
