import { ask, Problem } from './api.js';
import { useCallback, useEffect, useRef, useState } from './vendor/hooks.js';

const PAUSE = 2000;

/**
 * @template Data
 * @typedef {object} Loaded
 * @property {Data | undefined} data undefined until the first answer; then the last good one
 * @property {Problem | undefined} problem of the last attempt
 * @property {() => void} reload asks at once
 */

/**
 * Reads an address, and again every two seconds while the page is seen. An answer that says the same changes nothing.
 *
 * @template Data
 * @param {string} path
 * @param {{ once?: boolean }} [how] once: not again by itself
 * @returns {Loaded<Data>}
 */
export function useData(path, { once = false } = {}) {
  const first = /** @type {{ path: string, data?: Data, problem?: Problem }} */ ({ path });
  const [state, setState] = useState(first);
  const [asked, setAsked] = useState(0);
  const last = useRef('');
  useEffect(() => {
    const stop = new AbortController();
    /** @type {number | undefined} */
    let timer;
    const again = () => {
      timer = setTimeout(() => (document.hidden ? again() : void read()), PAUSE);
    };
    const read = async () => {
      try {
        const data = /** @type {Data} */ (await ask('GET', path, undefined, stop.signal));
        const text = path + JSON.stringify(data);
        if (text !== last.current) setState({ path, data });
        last.current = text;
      } catch (problem) {
        if (stop.signal.aborted || !(problem instanceof Problem)) return;
        last.current = '';
        setState((before) => (before.path === path ? { ...before, problem } : { path, problem }));
      }
      if (!stop.signal.aborted && !(once && last.current !== '')) again();
    };
    void read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, asked]);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  const current = state.path === path ? state : first;
  return { data: current.data, problem: current.problem, reload };
}

/**
 * @typedef {object} Route
 * @property {readonly string[]} parts decoded, without empty ones
 * @property {URLSearchParams} query
 */

/** The place that the address names behind `#`. @returns {Route} */
function routeOf() {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The place that the page is at. @returns {Route} */
export function useRoute() {
  const [route, setRoute] = useState(routeOf);
  useEffect(() => {
    const change = () => setRoute(routeOf());
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}

/** The present, in milliseconds since 1970, and again every so many. @param {number} every @returns {number} */
export function useNow(every) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** What somebody typed or chose. @param {Event} event */
export function valueOf({ target }) {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  return isField ? target.value : '';
}

/** An address within the console. @param {readonly (string | number)[]} parts @param {Record<string, string>} [query] */
export function to(parts, query = {}) {
  const asked = Object.entries(query).filter(([, value]) => value !== '');
  const tail = asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`;
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}${tail}`;
}

/**
 * Does something that a person asked for, once at a time.
 *
 * @template [Given=void]
 * @param {(given: Given) => Promise<void>} work
 * @returns {{ busy: boolean, problem: Problem | undefined, run: (given: Given) => Promise<void> }}
 */
export function useAction(work) {
  const [busy, setBusy] = useState(false);
  // A second click may come before the first one is drawn.
  const running = useRef(false);
  const [problem, setProblem] = useState(/** @type {Problem | undefined} */ (undefined));
  /** @param {Given} given */
  const run = async (given) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      await work(given);
    } catch (cause) {
      setProblem(cause instanceof Problem ? cause : new Problem('PAGE', String(cause)));
    }
    running.current = false;
    setBusy(false);
  };
  return { busy, problem, run };
}
