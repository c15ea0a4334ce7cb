/** The files under deploy/: as far as they can be checked without a container engine or a cluster. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { DockerfileParser, type JSONInstruction } from 'dockerfile-ast';
import { parseAllDocuments, parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/config/settings/index.ts';
import { composeSchema, manifestSchema } from './manifest-schemas.ts';

const folder = new URL('../../deploy/', import.meta.url);
const read = (name: string) => readFile(new URL(name, folder), 'utf8');
const hasProgram = (name: string) => spawnSync(name, ['--version']).error === undefined;

describe('Dockerfile', async () => {
  const instructions = DockerfileParser.parse(await read('Dockerfile')).getInstructions();
  const named = (keyword: string) => instructions.filter((each) => each.getKeyword() === keyword);
  const argumentsOf = (keyword: string) => named(keyword).map((each) => each.getArgumentsContent() ?? '');

  it('builds in one stage and runs in another, as a user that is not root', () => {
    expect(named('FROM')).toHaveLength(2);
    expect(argumentsOf('USER')).toEqual(['65532:65532']);
    expect(argumentsOf('FROM')[1]).toMatch(/nonroot$/);
  });

  it('leaves the embedded PostgreSQL and the development tools out', () => {
    expect(argumentsOf('RUN').join('\n')).toMatch(
      /npm ci --ignore-scripts\n[^]*npm run build [^]*&& npm prune --omit=dev --omit=optional/,
    );
  });

  it('keeps the packages for traces, which are optional elsewhere', async () => {
    const { peerDependencies } = JSON.parse(await readFile(new URL('../package.json', folder), 'utf8'));
    const listed = /npm install --save-prod [^]*\$\((node -p "[^"]+")\)[^]*&& npm prune/.exec(
      argumentsOf('RUN').join('\n'),
    );
    const printed = execFileSync('sh', ['-c', listed![1]!], { cwd: new URL('../', folder), encoding: 'utf8' });
    const versions = Object.entries(peerDependencies).map((entry) => entry.join('@'));
    expect(printed.trim().split(' ')).toEqual(versions);
    expect(versions.join(' ')).toContain('@opentelemetry/exporter-trace-otlp-http@');
  });

  it('starts and checks its health without a shell', () => {
    for (const keyword of ['ENTRYPOINT', 'CMD']) {
      const [instruction] = named(keyword) as JSONInstruction[];
      expect([keyword, instruction!.getOpeningBracket() !== null]).toEqual([keyword, true]);
    }
    expect(argumentsOf('HEALTHCHECK')[0]).toMatch(/CMD \["\/nodejs\/bin\/node", "dist\/ledgerline\.js", "health"\]$/);
  });

  it('copies everything that the package ships', async () => {
    const { files } = JSON.parse(await readFile(new URL('../package.json', folder), 'utf8')) as { files: string[] };
    const copied = argumentsOf('COPY').join(' ');
    for (const file of files) expect(copied).toContain(`/app/${file}`);
  });
});

describe('compose.yaml', async () => {
  const compose = parse(await read('compose.yaml'), { merge: true }) as {
    services: Record<string, Record<string, never>>;
  };
  const { services } = compose;

  it('fits the published schema, which refuses what it does not know', () => {
    const validate = new Ajv({ allowUnionTypes: true }).compile(composeSchema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ services: { service: { imgae: 'ledgerline' } } })).toBe(false);
  });

  it('has an owner that migrates and grants, and a service, each with a password of its own that is not in the file', async () => {
    const userOf = (name: string) =>
      /^postgres:\/\/(\w+:\$\{\w+:\?\})@/.exec(
        (services[name] as unknown as { environment: Record<string, string> }).environment.DATABASE_URL!,
      )?.[1];
    expect([userOf('migrate'), userOf('grants'), userOf('service')]).toEqual([
      'ledgerline_owner:${OWNER_PASSWORD:?}',
      'ledgerline_owner:${OWNER_PASSWORD:?}',
      'ledgerline_service:${SERVICE_PASSWORD:?}',
    ]);
    const passwords = Object.entries(
      (services.database as unknown as { environment: Record<string, string> }).environment,
    );
    const example = await read('compose.env.example');
    for (const [name, value] of passwords) {
      expect(value).toBe(`\${${name}:?}`);
      expect(example).toMatch(new RegExp(`^${name}=$`, 'm'));
    }
    expect(services.grants).toMatchObject({
      command: ['grants', '--role', 'ledgerline_service', '--apply'],
      depends_on: { migrate: { condition: 'service_completed_successfully' } },
    });
  });

  it('migrates once, after the database is healthy and before the service starts', () => {
    expect(services.migrate).toMatchObject({
      command: ['migrate'],
      depends_on: { database: { condition: 'service_healthy' } },
    });
    expect(services.service).toMatchObject({
      depends_on: { grants: { condition: 'service_completed_successfully' } },
      read_only: true,
      cap_drop: ['ALL'],
    });
  });

  it('publishes ports on loopback only', () => {
    const ports = Object.values(services).flatMap(({ ports: published = [] }) => published as string[]);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

describe('Kubernetes manifests', async () => {
  const names = (await readdir(new URL('kubernetes/base/', folder))).filter((name) => name.endsWith('.yaml'));
  const documents = new Map(
    await Promise.all(
      names.map(async (name) => [name, parseAllDocuments(await read(`kubernetes/base/${name}`))[0]!.toJS()] as const),
    ),
  );

  it('are all named by the kustomization', () => {
    const { resources } = documents.get('kustomization.yaml');
    expect([...(resources as string[])].sort()).toEqual(names.filter((name) => name !== 'kustomization.yaml').sort());
  });

  function checkManifest(manifest: { apiVersion: string; kind: string }) {
    const validate = new Ajv({ allowUnionTypes: true }).compile(manifestSchema(manifest));
    validate(manifest);
    expect(validate.errors).toBeNull();
    return validate;
  }

  it.each(names.filter((name) => name !== 'kustomization.yaml'))('%s fits the schema of its kind', (name) => {
    const manifest = documents.get(name);
    const validate = checkManifest(manifest);
    expect(validate({ ...manifest, spec: 'none' })).toBe(false);
    expect(validate({ ...manifest, spec: { ...manifest.spec, replica: 2 } })).toBe(false);
  });

  it('have one set of labels: those of the service’s pods are the ones that everything selects', () => {
    const { selector, template } = documents.get('deployment.yaml').spec;
    const labels = template.metadata.labels;
    expect(selector.matchLabels).toEqual(labels);
    expect(template.spec.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(labels);
    expect(documents.get('service.yaml').spec.selector).toEqual(labels);
    expect(documents.get('disruption-budget.yaml').spec.selector.matchLabels).toEqual(labels);
    expect(documents.get('migrate-job.yaml').spec.template.metadata.labels).not.toEqual(labels);
    for (const name of ['deployment.yaml', 'migrate-job.yaml'])
      expect(documents.get(name).spec.template.metadata.labels).toMatchObject(
        documents.get('network-policy.yaml').spec.podSelector.matchLabels,
      );
  });

  it.each(['deployment.yaml', 'migrate-job.yaml'])('%s keeps the restricted profile', (name) => {
    const pod = documents.get(name).spec.template.spec;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of pod.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('offer the metrics of the pods, by the Service and to the Prometheus Operator', async () => {
    const { template } = documents.get('deployment.yaml').spec;
    const named = template.spec.containers[0].ports.map(({ name }: { name: string }) => name);
    const targets = documents
      .get('service.yaml')
      .spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort);
    expect(targets).toEqual(named);
    const monitor = parse(await read('kubernetes/pod-monitor/pod-monitor.yaml'));
    checkManifest(monitor);
    const { spec } = monitor;
    expect(spec.selector.matchLabels).toEqual(template.metadata.labels);
    expect(spec.podMetricsEndpoints).toMatchObject([{ port: 'metrics', path: '/metrics' }]);
    const { resources } = parse(await read('kubernetes/pod-monitor/kustomization.yaml'));
    expect(resources).toEqual(['pod-monitor.yaml']);
  });

  it('have a patch for two processes, which fits the Deployment', async () => {
    const { resources, patches } = parse(await read('kubernetes/two-processes/kustomization.yaml'));
    expect({ resources, patches }).toEqual({ resources: ['../base'], patches: [{ path: 'deployment.yaml' }] });
    const patch = parse(await read('kubernetes/two-processes/deployment.yaml'));
    const base = structuredClone(documents.get('deployment.yaml'));
    expect([patch.kind, patch.metadata]).toEqual([base.kind, base.metadata]);
    const [container] = base.spec.template.spec.containers;
    const [patched] = patch.spec.template.spec.containers;
    expect(patched.name).toBe(container.name);
    // As kustomize merges them: by the names of the variables.
    container.env = [...container.env, ...patched.env];
    expect(new Set(container.env.map(({ name }: { name: string }) => name)).size).toBe(container.env.length);
    container.resources = patched.resources;
    checkManifest(base);
    expect(container.env).toContainEqual({ name: 'LEDGERLINE_PROCESSES', value: '2' });
  });

  it('gives a stop the time it needs', () => {
    const longestStop = 5 + (settings.stopSeconds.default as number);
    expect(documents.get('deployment.yaml').spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      longestStop,
    );
  });
});

it('every setting that a file names exists', async () => {
  const known = new Set(Object.values(settings).map(({ env }) => env));
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const text = await readFile(`${parentPath}/${name}`, 'utf8');
    for (const [setting] of text.matchAll(/LEDGERLINE_[A-Z_]+/g))
      expect([name, known.has(setting)]).toEqual([name, true]);
  }
});

it.runIf(hasProgram('systemd-analyze'))('the systemd unit scores at most 1.5', () => {
  const unit = fileURLToPath(new URL('systemd/ledgerline.service', folder));
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' });
  const score = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  expect(score).toBeGreaterThan(0);
  expect(score).toBeLessThanOrEqual(1.5);
});

it.runIf(hasProgram('promtool'))('Prometheus accepts its configuration and rules', () => {
  const file = fileURLToPath(new URL('prometheus/prometheus.yml', folder));
  expect(execFileSync('promtool', ['check', 'config', file], { encoding: 'utf8' })).toContain('SUCCESS');
});

describe('workflows', async () => {
  const workflows = new URL('../.github/workflows/', folder);
  const [test, release] = await Promise.all(
    ['test.yml', 'release.yml'].map(async (name) => parse(await readFile(new URL(name, workflows), 'utf8'))),
  );

  it('test every supported Node, PostgreSQL and processor, by the command of the README', async () => {
    expect(test.jobs.node.strategy.matrix).toEqual({ node: [20, 22, 24], os: ['ubuntu-24.04', 'ubuntu-24.04-arm'] });
    expect(test.jobs.postgres.strategy.matrix.postgres).toEqual([15, 16, 17, 18]);
    for (const job of [test.jobs.node, test.jobs.postgres]) {
      const commands = (job.steps as { run?: string }[]).map((step) => step.run);
      expect(commands).toEqual(expect.arrayContaining(['npm ci', 'npm test']));
    }
  });

  it('release only what was tested, with provenance, and store no token', () => {
    for (const name of ['image', 'npm']) {
      expect(release.jobs[name].needs).toEqual(['test', 'check']);
      expect(release.jobs[name].permissions['id-token']).toBe('write');
    }
    const built = release.jobs.image.steps.find((step: { id?: string }) => step.id === 'build');
    expect(built.with).toMatchObject({ provenance: 'mode=max', sbom: true, platforms: 'linux/amd64,linux/arm64' });
    const secrets = [...JSON.stringify([test, release]).matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
    expect(new Set(secrets)).toEqual(new Set(['GITHUB_TOKEN']));
  });
});
