// The browser script of the console. It refreshes the page every second and submits forms without leaving the page.
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
      const text = await response.text();
      // Paused while the page was on its way.
      if (isPaused) return;
      applyPage(text);
      showStatus('Updated every second.');
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
    if (isPaused) showStatus('Updates are paused.');
    else refresh();
    scheduleRefresh();
  });
  document.addEventListener('visibilitychange', scheduleRefresh);

  function showNotice(fresh) {
    const notice = document.getElementById('notice');
    notice.className = fresh?.className ?? 'notice error';
    notice.innerHTML = fresh?.innerHTML ?? '<p>That did not work. Reload the page.</p>';
    notice.scrollIntoView({block: 'nearest'});
  }

  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!form.matches('form[data-action]')) return;
    event.preventDefault();
    // A double click submits once.
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    const body = new URLSearchParams(new FormData(form, event.submitter));
    try {
      const response = await fetch(form.action, {method: 'POST', body, headers: {accept: 'text/html'}});
      const page = applyPage(await response.text());
      showNotice(page.getElementById('notice'));
      if (response.ok) form.reset();
    } catch {
      showNotice();
    } finally {
      form.ariaBusy = 'false';
    }
  });

  showStatus('Updated every second.');
  scheduleRefresh();
})();
`
