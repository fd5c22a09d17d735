// The browser script of the console, which refreshes the page every second.
export const script = `'use strict';
(() => {
  const refreshMs = 1000;
  const liveStatus = document.getElementById('live-status');
  let isPaused = false;
  let timer;

  const showStatus = (text) => { if (liveStatus.firstChild.data !== text) liveStatus.firstChild.data = text; };

  const pause = document.createElement('button');
  pause.type = 'button';
  pause.className = 'small plain';
  pause.textContent = 'Pause';
  liveStatus.after(' ', pause);

  // Keeps details open and the focus in place.
  function replacePart(part, fresh) {
    const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
    const open = [...part.querySelectorAll('details[open]')].map(({id}) => id);
    part.innerHTML = fresh.innerHTML;
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    if (focused) document.getElementById(focused)?.focus({preventScroll: true});
  }

  const shownHtml = new WeakMap();

  function applyPage(text) {
    const page = new DOMParser().parseFromString(text, 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const fresh = page.getElementById(part.id);
      if (!fresh || (shownHtml.get(part) ?? part.innerHTML) === fresh.innerHTML) continue;
      shownHtml.set(part, fresh.innerHTML);
      replacePart(part, fresh);
    }
  }

  async function refresh() {
    try {
      const address = new URL(location.href);
      address.searchParams.delete('done');
      const response = await fetch(address, {headers: {accept: 'text/html'}, cache: 'no-store'});
      if (!response.ok) throw new Error(String(response.status));
      const text = await response.text();
      // Paused while the page was on its way.
      if (isPaused) return;
      applyPage(text);
      showStatus('Live.');
    } catch {
      if (!isPaused) showStatus('The sandbox does not respond. Trying again.');
    }
  }

  function scheduleRefresh() {
    clearTimeout(timer);
    if (isPaused || document.hidden) return;
    timer = setTimeout(async () => { await refresh(); scheduleRefresh(); }, refreshMs);
  }

  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Resume' : 'Pause';
    if (isPaused) showStatus('Paused.');
    else refresh();
    scheduleRefresh();
  });
  document.addEventListener('visibilitychange', scheduleRefresh);

  showStatus('Live.');
  scheduleRefresh();
})();
`
