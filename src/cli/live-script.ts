/**
 * The one script, of live pages only: takes the page's body anew at each event, and keeps open what was open. When the
 * server is gone, the page says so and stays as it was last.
 */
export const LIVE_SCRIPT = `
const source = new EventSource('events');
const take = async () => {
  const text = await (await fetch(location.href)).text();
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  for (const part of fresh.querySelectorAll('details[id]'))
    part.open = document.getElementById(part.id)?.open ?? part.open;
  document.body.replaceChildren(...fresh.body.childNodes);
};
let busy = Promise.resolve();
source.addEventListener('change', () => { busy = busy.then(take, take); });
source.addEventListener('end', () => { source.close(); busy = busy.then(take, take); });
source.addEventListener('error', () => { source.close(); document.title = 'Ended: ' + document.title; });
`;
