import type { OwnEnvironment } from '../model/own-variables.js';
import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { openRunSpans } from './run-spans.js';
import { FLUSH_MS, type RequestTracer, type TracedRequest, type Tracing } from './tracing.js';

/** Ended spans that wait to be handed over; a batch of certificates ends thousands within seconds. */
const QUEUE_SPANS = 32_768;
const BATCH_SPANS = 512;
const BATCH_DELAY_MS = 1000;

/** What a command is traced with. */
export interface TracingOptions {
  /** The first argument; only the name of a command becomes a name of a span. */
  readonly command: string;
  readonly version: string;
  readonly env: OwnEnvironment;
}

/**
 * Opens traces over OTLP/HTTP (JSON), configured by `OTEL_*`; the command's span belongs to `TRACEPARENT` where that is
 * given. Loaded only when the environment asks for traces. Spans carry ids, names of operations, outcomes and HTTP
 * statuses: no query, body, header, key or personal value.
 *
 * @throws when the environment asks for a protocol that is not spoken here
 */
export function openTracing({ command, version, env }: TracingOptions): Tracing {
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol?.trim() === 'grpc') throw new Error('OTLP is sent over HTTP here, not over gRPC.');
  const own = resourceFromAttributes({ 'service.name': env['OTEL_SERVICE_NAME'] || 'windlass' });
  const detected = detectResources({ detectors: [envDetector] });
  const named = resourceFromAttributes({
    'service.version': version,
    ...(env['OTEL_SERVICE_NAME'] && { 'service.name': env['OTEL_SERVICE_NAME'] }),
  });
  const exporter = new OTLPTraceExporter({ timeoutMillis: FLUSH_MS });
  const provider = new BasicTracerProvider({
    resource: own.merge(detected).merge(named),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: QUEUE_SPANS,
        maxExportBatchSize: BATCH_SPANS,
        scheduledDelayMillis: BATCH_DELAY_MS,
        exportTimeoutMillis: FLUSH_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('windlass', version);
  const root = startCommand(tracer, command, parentOf(env));
  const within = trace.setSpan(ROOT_CONTEXT, root);
  const runs = openRunSpans(tracer, within);
  return {
    request: requestTracer(tracer, (step) => runs.contextOf(step)),
    observe: runs.observe,
    end: async (exitCode) => {
      runs.end();
      root.setAttribute('windlass.exit_code', exitCode);
      if (exitCode !== 0) root.setStatus({ code: SpanStatusCode.ERROR, message: `exit code ${exitCode}` });
      root.end();
      await givenUp(provider.shutdown());
    },
  };
}

function startCommand(tracer: Tracer, command: string, parent: Context): Span {
  const name = /^[a-z]{2,12}$/.test(command) ? command : 'other';
  return tracer.startSpan(`windlass ${name}`, { attributes: { 'windlass.command': name } }, parent);
}

/** The span that started this process, by the environment's `TRACEPARENT` and `TRACESTATE` (W3C trace context). */
function parentOf(env: TracingOptions['env']): Context {
  const found = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(
    env['TRACEPARENT']?.trim() ?? '',
  );
  const [, traceId = '', spanId = '', flags = '0'] = found ?? [];
  if (found === null || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT;
  const state = env['TRACESTATE'];
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state && { traceState: createTraceState(state) }),
  });
}

function requestTracer(tracer: Tracer, contextOf: (step: TracedRequest['step']) => Context): RequestTracer {
  return (request) => {
    const attributes = requestAttributes(request);
    const span = tracer.startSpan(
      request.method,
      { kind: SpanKind.CLIENT, attributes },
      contextOf(request.step),
    );
    return {
      headers: headersOf(span.spanContext()),
      end: (exchange) => {
        if (exchange.type === 'response') {
          span.setAttribute('http.response.status_code', exchange.status);
          if (exchange.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        } else {
          const reason = exchange.sent ? 'no_answer' : 'not_sent';
          span.setAttributes({ 'error.type': reason, 'windlass.sent': exchange.sent });
          span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
        }
        span.end();
      },
    };
  };
}

/** No path beyond its first words: a node's address may hold a key, and a query names people and addresses. */
function requestAttributes({ method, origin, path, step, write }: TracedRequest): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    'url.path': path.split(/[?#]/)[0] ?? '',
    'windlass.write': write,
    ...(step !== undefined && { 'windlass.step': step }),
  };
}

function headersOf({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): Readonly<Record<string, string>> {
  const state = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(state && { tracestate: state }),
  };
}

/** Resolves when the work is done, failed or late; nobody waits for it any longer. */
function givenUp(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FLUSH_MS);
    work
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        resolve();
      });
  });
}
