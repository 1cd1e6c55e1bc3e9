import {
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Observer, Progress } from '../execute/result.js';
import { kindOf, parseStepId, type ResourceId, type StepId } from '../model/id.js';
import type { JournalEvent, RunStarted } from '../state/event.js';

/** Spans of a run and of its steps. */
export interface RunSpans {
  readonly observe: Observer;
  /** What a request belongs to: the step that it is sent for, else the run, else the command. */
  contextOf(step: StepId | undefined): Context;
  /** Ends what is still open, as a failure. */
  end(): void;
}

type Happening = JournalEvent | Progress;

/** Follows a run by its events: one span for the run, one for each step with its attempts as events. */
export function openRunSpans(tracer: Tracer, command: Context): RunSpans {
  let run: Span | undefined;
  const steps = new Map<ResourceId, Span>();
  const here = (): Context => (run === undefined ? command : trace.setSpan(command, run));
  const stepSpan = (id: ResourceId): Span => {
    const attributes = { 'windlass.resource.id': id, 'windlass.resource.kind': kindOf(id) };
    const span = steps.get(id) ?? tracer.startSpan(`step ${kindOf(id)}`, { attributes }, here());
    steps.set(id, span);
    return span;
  };
  const onRun = (event: Happening): void => {
    if (event.type === 'run-started')
      run = tracer.startSpan('run', { attributes: runAttributes(event) }, command);
    else if (event.type === 'run-planned') run?.setAttribute('windlass.run.steps', event.steps);
    else if (event.type === 'run-ended' && run !== undefined) {
      endWith(run, event.result, event.result === 'done');
      run = undefined;
    }
  };
  const onStep = (event: Happening): void => {
    if (event.type === 'step-begun') stepSpan(event.id);
    else if (event.type === 'step-ended') {
      const { id, end: outcome } = event.report;
      endWith(stepSpan(id), outcome, outcome === 'confirmed');
      steps.delete(id);
    }
  };
  const onAttempt = (event: Happening): void => {
    const parsed = 'step' in event && event.step !== undefined ? parseStepId(event.step) : undefined;
    // What comes late, about a step that is none of this run, opens no span.
    if (run === undefined || parsed === undefined) return;
    if (event.type === 'step-intended' || steps.has(parsed.id)) {
      describeAttempt(stepSpan(parsed.id), parsed.attempt, event);
    }
  };
  return {
    contextOf: (step) => {
      const id = step === undefined ? undefined : parseStepId(step)?.id;
      const span = id === undefined ? undefined : steps.get(id);
      return span === undefined ? here() : trace.setSpan(command, span);
    },
    observe: (event) => {
      onRun(event);
      onStep(event);
      onAttempt(event);
    },
    end: () => {
      for (const span of [...steps.values(), ...(run === undefined ? [] : [run])])
        endWith(span, 'cut off', false);
    },
  };
}

function runAttributes({ run, engine, plan, changeSet }: RunStarted): Attributes {
  return {
    'windlass.run.id': run,
    'windlass.engine.version': engine,
    'windlass.plan.digest': plan,
    'windlass.change_set.digest': changeSet,
  };
}

function endWith(span: Span, outcome: string, good: boolean): void {
  span.setAttribute('windlass.outcome', outcome);
  if (!good) span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  span.end();
}

/** What an attempt's event says, as attributes of the step and an event on its time line. */
function describeAttempt(span: Span, attempt: number, event: Happening): void {
  const at = { 'windlass.attempt': attempt };
  if (event.type === 'step-intended') {
    span.setAttributes({ 'windlass.operation': event.operation, ...at }).addEvent('intended', at);
  } else if (event.type === 'step-answered') {
    const status = event.status === undefined ? {} : { 'http.response.status_code': event.status };
    span.addEvent('answered', { ...at, 'windlass.answer': event.outcome, ...status });
  } else if (event.type === 'step-evidenced') {
    const { via, claim } = event;
    span.addEvent('evidence', { ...at, 'windlass.evidence.via': via, 'windlass.evidence.claim': claim });
  } else if (event.type === 'step-settled') {
    span.setAttributes({ 'windlass.evidence': event.grade, ...at });
    span.addEvent('settled', { ...at, 'windlass.outcome': event.state });
  } else if (event.type === 'step-waiting') span.addEvent('waiting', at);
}
