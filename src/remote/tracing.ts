import type { OwnEnvironment } from '../model/own-variables.js';
import type { Observer } from '../execute/result.js';
import type { Exchange, HttpRequest } from './exchange.js';

/** A request that is about to be sent. */
export type TracedRequest = Pick<HttpRequest, 'method' | 'path' | 'step'> & {
  readonly origin: string;
  readonly write: boolean;
};

/** Follows requests: gives the headers that carry the trace on, and takes what came of each. Never throws. */
export type RequestTracer = (request: TracedRequest) => {
  readonly headers: Readonly<Record<string, string>>;
  readonly end: (exchange: Exchange) => void;
};

/** Traces of one command. Nothing that happens to them changes what the command does. */
export interface Tracing {
  readonly request: RequestTracer;
  /** Takes what happens in a run. */
  readonly observe: Observer;
  /** Ends what is open and hands it over; gives up after {@link FLUSH_MS}. Never rejects. */
  end(exitCode: number): Promise<void>;
}

/** Longest time that a command waits for its traces to be taken. */
export const FLUSH_MS = 1200;

/**
 * True when the environment asks for traces, as OpenTelemetry defines it: an OTLP endpoint, not switched off
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export function wantsTraces(env: OwnEnvironment): boolean {
  const isOff = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  const exporter = env['OTEL_TRACES_EXPORTER']?.trim() || 'otlp';
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return !isOff && exporter.split(',').includes('otlp') && endpoint !== undefined && endpoint.trim() !== '';
}
