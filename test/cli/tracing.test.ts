import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, windlass, windlassProcess } from './command.js';

const LONG = 180_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

type Value = {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
};

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly status: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface Receiver {
  readonly url: string;
  readonly texts: readonly string[];
  readonly spans: () => readonly Span[];
  readonly resource: () => ReadonlyMap<string, unknown>;
}

/** A receiver of OTLP over HTTP; `answer` undefined: it takes the connection and never answers. */
async function withReceiver(
  answer: number | undefined,
  work: (receiver: Receiver) => Promise<void>,
): Promise<void> {
  const texts: string[] = [];
  const takeIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    texts.push(await bodyOf(request));
    if (answer !== undefined) response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => {
    void takeIn(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const exports = () => texts.map((text) => JSON.parse(text) as Export);
  try {
    await work({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      texts,
      spans: () =>
        exports().flatMap(({ resourceSpans }) =>
          resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
        ),
      resource: () => mapOf(exports()[0]?.resourceSpans[0]?.resource.attributes ?? []),
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function mapOf(attributes: readonly Attribute[]): ReadonlyMap<string, unknown> {
  return new Map(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  );
}

const of = (span: Span | undefined): Record<string, unknown> =>
  Object.fromEntries(mapOf(span?.attributes ?? []));

/** Prints, when the process ends, how many modules of OpenTelemetry it loaded. */
const COUNTER = `
  process.on('exit', () => {
    const loaded = Object.keys(require.cache).filter((file) => file.includes('@opentelemetry'));
    require('node:fs').writeFileSync(process.env.LOADED_INTO, String(loaded.length));
  });
`;

describe('traces', () => {
  it(
    'have a span for the command, the run, each step and each request, below the span that started the process',
    async () => {
      await withReceiver(200, async (receiver) => {
        await inFolder(async (cwd) => {
          await windlass(['init', '--template', 'audit'], { cwd });
          const env = {
            OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
            OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=ci,service.name=other',
            OTEL_SERVICE_NAME: 'campus-release',
            TRACEPARENT: `00-${TRACE}-${PARENT}-01`,
          };
          const ended = await windlassProcess(['apply', '--yes'], { cwd, env });
          expect(ended.code).toBe(0);
          const spans = receiver.spans();
          expect(Object.fromEntries(receiver.resource())).toMatchObject({
            'service.name': 'campus-release',
            'deployment.environment.name': 'ci',
          });
          expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));

          const command = spans.find(({ name }) => name === 'windlass apply');
          expect(command?.parentSpanId).toBe(PARENT);
          expect(of(command)).toMatchObject({ 'windlass.command': 'apply', 'windlass.exit_code': 0 });
          const run = spans.find(({ name }) => name === 'run');
          expect(run?.parentSpanId).toBe(command?.spanId);
          expect(of(run)).toMatchObject({ 'windlass.outcome': 'done' });

          const steps = spans.filter(({ name }) => name.startsWith('step '));
          expect(of(run)['windlass.run.steps']).toBe(steps.length);
          expect(steps.length).toBeGreaterThan(2);
          for (const step of steps) {
            expect(step.parentSpanId).toBe(run?.spanId);
            expect(of(step)).toMatchObject({
              'windlass.resource.id': expect.stringMatching(/^[a-z-]+\./) as unknown,
              'windlass.operation': expect.stringMatching(/^[a-z-]+\.[a-z-]+$/) as unknown,
              'windlass.attempt': 1,
              'windlass.outcome': 'confirmed',
              'windlass.evidence': expect.stringMatching(/^[ABCDO]$/) as unknown,
            });
            const write = spans.find(
              (span) => span.parentSpanId === step.spanId && of(span)['windlass.write'] === true,
            );
            expect(of(write)).toMatchObject({
              'http.request.method': 'POST',
              'http.response.status_code': expect.any(Number) as unknown,
              'windlass.step': `${String(of(step)['windlass.resource.id'])}#1`,
            });
          }
          const reads = spans.filter((span) => of(span)['windlass.write'] === false);
          expect(reads.length).toBeGreaterThan(0);
          const text = receiver.texts.join('\n');
          expect(text).not.toMatch(/\?[a-z_]+=/);
        });
      });
    },
    LONG,
  );

  it(
    'go on in the requests, and hold no query, credential, token, body or personal value',
    async () => {
      const seen: IncomingMessage['headers'][] = [];
      const service = createServer((request, response) => {
        seen.push(request.headers);
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"canary-answer"}');
      });
      await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
      try {
        await withReceiver(200, async (receiver) => {
          await inFolder(async (cwd) => {
            const { port } = service.address() as AddressInfo;
            await windlass(['init', '--template', 'minimal'], { cwd });
            const plan = join(cwd, 'windlass.yaml');
            const environment = `environments:
  test:
    base_url: http://127.0.0.1:${port}
    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }
    callbacks: off
    capabilities: [projects, instances, receipts, lists]
`;
            await writeFile(plan, `${await readFile(plan, 'utf8')}\n${environment}`);
            const env = {
              OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
              WINDLASS_VAR_ID: 'canary-id',
              WINDLASS_VAR_SECRET: 'canary-secret',
              TRACEPARENT: `00-${TRACE}-${PARENT}-01`,
              TRACESTATE: 'vendor=opaque',
            };
            const ended = await windlassProcess(['plan', '--env', 'test'], { cwd, env });
            expect(ended.code).toBe(4);
            expect(seen.length).toBeGreaterThan(0);
            const ids = receiver.spans().map(({ spanId }) => spanId);
            for (const headers of seen) {
              const [, traceId, spanId, flags] = String(headers['traceparent']).split('-');
              expect([traceId, flags]).toEqual([TRACE, '01']);
              expect(ids).toContain(spanId);
              expect(headers['tracestate']).toBe('vendor=opaque');
            }
            const text = receiver.texts.join('\n');
            for (const canary of ['canary-id', 'canary-secret', 'canary-answer', cwd]) {
              expect(text).not.toContain(canary);
            }
            expect(text).not.toMatch(/\?[a-z_]+=/);
          });
        });
      } finally {
        service.closeAllConnections();
        service.close();
      }
    },
    LONG,
  );

  it('never change the exit code, and never hold a command up, when nobody takes them', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await withReceiver(undefined, async (silent) => {
      await withReceiver(503, async (busy) => {
        const endpoints = [`http://127.0.0.1:${port}`, silent.url, busy.url, 'not a url'];
        for (const endpoint of endpoints) {
          const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACEPARENT: '00-nonsense' };
          // A command that waited for an answer that never comes would end with the test's own time.
          const ended = await windlassProcess(['explain', 'PLAN_CYCLE'], { env });
          expect(ended, endpoint).toMatchObject({ code: 0, stderr: '' });
          expect((await windlassProcess(['explain', 'NO_SUCH'], { env })).code).toBe(3);
        }
      });
    });
  }, 60_000);

  it('are off, with a word about it, when they are wanted over gRPC', async () => {
    await withReceiver(200, async ({ url, texts }) => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
      const ended = await windlassProcess(['explain', 'PLAN_CYCLE'], { env });
      expect(ended.code).toBe(0);
      expect(ended.stderr).toContain('Traces are off');
      expect(texts).toEqual([]);
    });
  }, 60_000);

  it('load nothing of OpenTelemetry unless the environment asks for them', async () => {
    await inFolder(async (cwd) => {
      const hook = join(cwd, 'hook.cjs');
      const result = join(cwd, 'loaded');
      await writeFile(hook, COUNTER);
      await windlass(['init', 'plan'], { cwd });
      const loadedBy = async (env: Readonly<Record<string, string>>): Promise<number> => {
        const all = { NODE_OPTIONS: `--require "${hook}"`, LOADED_INTO: result, ...env };
        expect((await windlassProcess(['plan', 'plan', '--offline'], { cwd, env: all })).code).toBe(0);

        return Number(await readFile(result, 'utf8'));
      };
      const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9';
      expect(await loadedBy({})).toBe(0);
      expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBe(0);
      expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBe(0);
      expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT })).toBeGreaterThan(10);
    });
  }, 60_000);
});
