// The browser script of the hosted forms. It adds checks and previews; every form works without it.
import {limits} from '../../contract/vocabulary.ts'
import {documentFormats, documentMessages} from '../../values/documents.ts'

const files = {
  min: limits.documentBytesMin,
  max: limits.documentBytesMax,
  pixelsMin: limits.documentPixelsMin,
  formats: documentFormats.map(({signature, hasPixels}) => ({signature: [...signature], hasPixels})),
  messages: documentMessages,
}

// Long enough for a person to go on to the next field.
const saveDelayMs = 800

export const script = `'use strict';
(() => {
  const files = ${JSON.stringify(files)};
  const form = () => document.getElementById('form');
  const findError = (control) => document.getElementById(control.id + '-error');
  const lowerFirst = (text) => /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
  // "Person 2, document 1: add the image of the front.", as in the summary of the server.
  const addPosition = (control, sentence) => {
    const items = [];
    for (let item = control.closest('.item'); item; item = item.parentElement.closest('.item')) {
      const legend = item.querySelector('legend').textContent.trim();
      if (/\\d$/.test(legend)) items.unshift(legend.toLowerCase());
    }
    if (items.length === 0) return sentence;
    const position = items.join(', ');
    return position.charAt(0).toUpperCase() + position.slice(1) + ': ' + lowerFirst(sentence);
  };

  const formatSize = (bytes) => bytes < 1000 ? bytes + ' bytes'
    : bytes < 1024 * 1024 ? Math.round(bytes / 1000) + ' KB' : (bytes / 1024 / 1024).toFixed(1) + ' MB';

  // Says of a file what the server would say of it, and how large its picture is. Only the server sees whether the end is missing.
  const examineFile = async (file) => {
    const messages = files.messages;
    const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
    const format = files.formats.find(({signature}) => signature.every((byte, index) => head[index] === byte));
    if (!format) return {problem: messages.otherFormat};
    const size = formatSize(file.size);
    if (file.size < files.min) return {problem: 'is too small: it has ' + size + ', and ' + messages.tooSmall};
    if (file.size > files.max) return {problem: 'is too large: it has ' + size + ', and ' + messages.tooLarge};
    if (!format.hasPixels) return {problem: ''};
    const picture = await createImageBitmap(file).catch(() => undefined);
    if (!picture) return {problem: messages.damaged};
    const {width, height} = picture;
    picture.close();
    if (Math.min(width, height) >= files.pixelsMin) return {problem: '', width, height};
    return {problem: 'has ' + width + 'x' + height + ' pixels, and ' + messages.tooFewPixels};
  };
  // What was found, by file. A file that cannot be read now is left to the server.
  const found = new WeakMap();
  const examine = async (file) => {
    if (!found.has(file)) found.set(file, await examineFile(file).catch(() => ({problem: ''})));
    return found.get(file);
  };
  const listUnexamined = () => [...form().elements]
    .flatMap((control) => control.type === 'file' ? [...control.files] : [])
    .filter((file) => !found.has(file));

  const isMissing = (control) => {
    if (control.offsetParent === null || !(control.required || 'required' in control.dataset)) return false;
    if (control.type === 'fieldset') return !control.querySelector('input:checked');
    if (control.type === 'file' && control.closest('.field').querySelector('.kept:not(.chosen)')) return false;
    return control.value === '' && !control.validity.badInput;
  };

  const checkControl = (control) => {
    const {subject, missing} = control.dataset;
    if (control.type === 'file' && control.files.length > 0) {
      const problem = found.get(control.files[0])?.problem;
      return problem ? subject + ' ' + problem + '.' : '';
    }
    if (isMissing(control)) return missing;
    const validity = control.validity;
    if (validity.valid || validity.valueMissing) return '';
    if (validity.tooShort) return subject + ' must have at least ' + control.minLength + ' characters.';
    if (validity.typeMismatch) return subject + ' must be an email address, such as ada@example.com.';
    if (validity.badInput) return subject + ' must be a whole date, with day, month and year.';
    return control.validationMessage;
  };

  // Shows the problem of a control at its field, or clears it.
  const validate = (control) => {
    const error = findError(control);
    if (!error) return '';
    const problem = checkControl(control);
    error.textContent = problem;
    error.hidden = problem === '';
    control.closest('.field').classList.toggle('has-error', problem !== '');
    // Of the groups, only one that has a role of its own can be invalid.
    if (control.type === 'fieldset' && !control.hasAttribute('role')) return problem;
    if (problem === '') control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', 'true');
    return problem;
  };

  const listControls = (within) => [...within.elements].filter((control) => control.id && findError(control));

  const showSummary = (invalid) => {
    document.getElementById('errors')?.remove();
    const section = document.createElement('section');
    section.id = 'errors';
    section.className = 'card summary';
    section.tabIndex = -1;
    section.setAttribute('role', 'alert');
    section.setAttribute('aria-labelledby', 'errors-title');
    const title = document.createElement('h2');
    title.id = 'errors-title';
    title.textContent = 'Please correct the following';
    const list = document.createElement('ul');
    for (const [control, problem] of invalid) {
      const link = document.createElement('a');
      link.href = '#' + control.id;
      link.textContent = addPosition(control, problem);
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    section.append(title, list);
    form().before(section);
    if (!document.title.startsWith('Error: ')) document.title = 'Error: ' + document.title;
    section.focus();
  };

  // Examines a file as soon as it is chosen, and shows its image, without uploading it.
  const showFile = async (control) => {
    const field = control.closest('.field');
    field.querySelector('.chosen')?.remove();
    const file = control.files[0];
    const {problem, width, height} = file ? await examine(file) : {problem: 'missing'};
    if (file !== control.files[0]) return;
    validate(control);
    field.querySelector('.chosen')?.remove();
    if (problem !== '') return;
    const shown = document.createElement('div');
    shown.className = 'kept chosen';
    if (width) {
      const image = document.createElement('img');
      image.alt = addPosition(control, control.dataset.subject);
      image.src = URL.createObjectURL(file);
      image.onload = () => URL.revokeObjectURL(image.src);
      shown.append(image);
    }
    const name = document.createElement('p');
    name.textContent = file.name + ', ' + formatSize(file.size) + (width ? ', ' + width + ' × ' + height + ' pixels.' : '.');
    shown.append(name);
    control.after(shown);
  };

  // Moving the focus scrolls the page, and a button that moves away while it is pressed is not clicked. So the focus stays with
  // whoever was faster than this script.
  const prepareForm = () => {
    if (form()) form().noValidate = true;
    if (document.activeElement === document.body) document.getElementById('errors')?.focus();
  };

  // For the same reason, what moves the page waits until no button of a mouse and no finger is down.
  let isPressed = false;
  let waiting = [];
  const afterPress = (work) => { if (isPressed) waiting.push(work); else work(); };
  const release = () => setTimeout(() => {
    isPressed = false;
    for (const work of waiting.splice(0)) work();
  });
  document.addEventListener('pointerdown', () => { isPressed = true; }, true);
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, release, true);

  // Loads the page that the button leads to, and replaces the content without leaving the page.
  const loadAndReplace = async (button) => {
    // Read before the button is disabled: without its name the server would take this for a submission.
    const body = new FormData(form(), button);
    button.disabled = true;
    const response = await fetch(location.href, {method: 'POST', body});
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!page.getElementById('form')) throw new Error('The response has no form');
    const target = new URL(button.formAction).hash.slice(1);
    document.querySelector('main').replaceWith(page.querySelector('main'));
    document.title = page.title;
    prepareForm();
    if (!document.getElementById('errors')) {
      const item = document.getElementById(target);
      (item?.querySelector('input:not([type=hidden]), select, textarea, button') ?? item)?.focus();
      item?.scrollIntoView({block: 'start'});
    }
  };

  // Saves what was entered in the background, so that nothing is lost if the page is closed. Files go with the next step.
  let timer;
  let saves = Promise.resolve();
  let leaving = new AbortController();
  const showSaved = (savedAt) => {
    const status = document.getElementById('save-status');
    const time = document.createElement('time');
    time.dateTime = savedAt;
    time.textContent = new Date(savedAt).toLocaleString([], {dateStyle: 'long', timeStyle: 'short'});
    status.replaceChildren('Saved on ', time, '.');
  };
  const save = async () => {
    const body = new FormData(form());
    for (const [name, value] of [...body]) if (value instanceof File) body.delete(name);
    body.set('autosave', '1');
    const response = await fetch(location.href, {method: 'POST', body, signal: leaving.signal});
    if (response.ok) return showSaved((await response.json()).savedAt);
    document.getElementById('save-status').textContent = response.status === 409
      ? 'Not saved, because this form was changed on another page. Reload this page to go on.'
      : 'Not saved. Your next change will be saved again.';
  };
  // One after the other, so that an older one never arrives after a newer one.
  const saveSoon = () => {
    clearTimeout(timer);
    if (!document.getElementById('save-status')) return;
    timer = setTimeout(() => { saves = saves.then(save).catch(() => {}); }, ${saveDelayMs});
  };
  // What the page sends now is newer.
  const stopSaving = () => {
    clearTimeout(timer);
    leaving.abort();
    leaving = new AbortController();
  };

  document.addEventListener('change', (event) => {
    const control = event.target;
    if (!control.form || control.form !== form()) return;
    saveSoon();
    const group = control.closest('fieldset.field');
    afterPress(() => control.type === 'file' ? showFile(control) : validate(group ?? control));
  });

  document.addEventListener('focusout', (event) => {
    const control = event.target;
    if (control.form && control.value && control.type !== 'file') {
      const error = control.id && findError(control);
      // A message of the server stays until the field is changed.
      if (error && error.hidden) afterPress(() => validate(control));
    }
  });

  document.addEventListener('submit', (event) => {
    if (event.target !== form()) return;
    const button = event.submitter;
    if (button && /^(go|save|add|remove)$/.test(button.name)) {
      stopSaving();
      if (button.name === 'go' || button.name === 'save' || button.dataset.plain) return;
      event.preventDefault();
      loadAndReplace(button).catch(() => {
        button.disabled = false;
        button.dataset.plain = 'yes';
        button.click();
      });
      return;
    }
    const unexamined = listUnexamined();
    if (unexamined.length > 0) {
      event.preventDefault();
      Promise.all(unexamined.map(examine)).then(() => form().requestSubmit(button));
      return;
    }
    const invalid = listControls(form()).map((control) => [control, validate(control)]).filter(([, problem]) => problem !== '');
    if (invalid.length > 0) {
      event.preventDefault();
      showSummary(invalid);
    } else {
      stopSaving();
      // Prevents a second submission. After the event, because disabling the button earlier would cancel this one.
      setTimeout(() => { for (const each of form().querySelectorAll('button')) each.disabled = true; });
    }
  });

  // Makes the page usable again when the user navigates back to it.
  addEventListener('pageshow', () => { for (const each of document.querySelectorAll('button')) each.disabled = false; });

  prepareForm();
  const savedAt = document.querySelector('#save-status time')?.dateTime;
  if (savedAt) showSaved(savedAt);
})();
`
