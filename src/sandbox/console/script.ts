// The script of the console: it brings what is new every second, and does what buttons ask for without leaving the page.
export const script = `'use strict';
(() => {
  const paceMs = 1000;
  const line = document.getElementById('line');
  let isPaused = false;
  let timer;

  const say = (text) => { if (line.firstChild.data !== text) line.firstChild.data = text; };

  const pause = document.createElement('button');
  pause.type = 'button';
  pause.className = 'small plain';
  pause.textContent = 'Pause';
  line.after(' ', pause);

  // Details that were opened stay open, and the focus stays where it was.
  function put(part, fresh) {
    const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
    const open = [...part.querySelectorAll('details[open]')].map(({id}) => id);
    part.innerHTML = fresh.innerHTML;
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    if (focused) document.getElementById(focused)?.focus({preventScroll: true});
  }

  const seen = new WeakMap();

  function take(text) {
    const page = new DOMParser().parseFromString(text, 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const fresh = page.getElementById(part.id);
      if (!fresh || (seen.get(part) ?? part.innerHTML) === fresh.innerHTML) continue;
      seen.set(part, fresh.innerHTML);
      put(part, fresh);
    }
    const csrf = page.querySelector('input[name=csrf]')?.value;
    if (csrf) for (const input of document.querySelectorAll('input[name=csrf]')) input.value = csrf;
    return page;
  }

  async function refresh() {
    try {
      const address = new URL(location.href);
      address.searchParams.delete('done');
      const response = await fetch(address, {headers: {accept: 'text/html'}, cache: 'no-store'});
      if (!response.ok) throw new Error(String(response.status));
      take(await response.text());
      say('What you see is live.');
    } catch {
      say('The sandbox does not answer; trying again.');
    }
  }

  function next() {
    clearTimeout(timer);
    if (isPaused || document.hidden) return;
    timer = setTimeout(async () => { await refresh(); next(); }, paceMs);
  }

  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Go on' : 'Pause';
    if (isPaused) say('What you see stands still.');
    else refresh();
    next();
  });
  document.addEventListener('visibilitychange', next);

  function tell(fresh) {
    const said = document.getElementById('said');
    said.className = fresh?.className ?? 'said refusal';
    said.innerHTML = fresh?.innerHTML ?? '<p>That did not work. Load the page again.</p>';
    said.scrollIntoView({block: 'nearest'});
  }

  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!form.matches('form[data-action]')) return;
    event.preventDefault();
    // Pressed twice in a hurry is meant once.
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    const body = new URLSearchParams(new FormData(form, event.submitter));
    try {
      const response = await fetch(form.action, {method: 'POST', body, headers: {accept: 'text/html'}});
      const page = take(await response.text());
      tell(page.getElementById('said'));
      if (response.ok) form.reset();
    } catch {
      tell();
    } finally {
      form.ariaBusy = 'false';
    }
  });

  say('What you see is live.');
  next();
})();
`
