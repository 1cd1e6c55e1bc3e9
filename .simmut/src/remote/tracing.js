/** Longest time that a command waits for its traces to be taken. */
export const FLUSH_MS = 1200;
/**
 * True when the environment asks for traces, as OpenTelemetry defines it: an OTLP endpoint, not switched off
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export function wantsTraces(env) {
    const isOff = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
    const exporter = env['OTEL_TRACES_EXPORTER']?.trim() || 'otlp';
    const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    return !isOff && exporter.split(',').includes('otlp') && endpoint !== undefined && endpoint.trim() !== '';
}
