/**
 * The one script, of live pages only: takes the page's body anew at each event, and keeps open what was open and the
 * focus where it was. When the server is gone, the page says so and stays as it was last.
 */
export const LIVE_SCRIPT = `
const source = new EventSource('events');
const take = async () => {
  const text = await (await fetch(location.href)).text();
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  for (const part of fresh.querySelectorAll('details[id]'))
    part.open = document.getElementById(part.id)?.open ?? part.open;
  const focused = document.activeElement?.closest('details[id], [tabindex]');
  const place = [...document.querySelectorAll('[tabindex]')].indexOf(focused);
  document.body.replaceChildren(...fresh.body.childNodes);
  const again = focused?.id ? document.getElementById(focused.id)?.querySelector('summary') : document.querySelectorAll('[tabindex]')[place];
  again?.focus({ preventScroll: true });
};
let busy = Promise.resolve();
source.addEventListener('change', () => { busy = busy.then(take, take); });
source.addEventListener('end', () => { source.close(); busy = busy.then(take, take); });
source.addEventListener('error', () => { source.close(); document.title = 'Ended: ' + document.title; });
`;
