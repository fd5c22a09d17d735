// The browser script of the hosted forms. It adds checks and previews; every form works without it.
import {limits} from '../../contract/vocabulary.ts'

const fileLimits = {min: limits.documentBytesMin, max: limits.documentBytesMax}

// Long enough for a person to go on to the next field.
const saveDelayMs = 800

export const script = `'use strict';
(() => {
  const limits = ${JSON.stringify(fileLimits)};
  const form = () => document.getElementById('form');
  const findError = (control) => document.getElementById(control.id + '-error');
  const getLabel = (control) => {
    const label = document.querySelector('label[for="' + CSS.escape(control.id) + '"]');
    return label ? label.firstChild.textContent.trim() : control.name;
  };
  // "Person 2, document 1: image of the front", as in the summary of the server.
  const describeControl = (control) => {
    const name = getLabel(control);
    const items = [];
    for (let item = control.closest('.item'); item; item = item.parentElement.closest('.item')) {
      const legend = item.querySelector('legend').textContent.trim();
      if (/\\d$/.test(legend)) items.unshift(legend.toLowerCase());
    }
    if (items.length === 0) return name;
    const position = items.join(', ');
    return position.charAt(0).toUpperCase() + position.slice(1) + ': ' + name.charAt(0).toLowerCase() + name.slice(1);
  };

  const checkFile = (file) => {
    if (!/^(image\\/(jpeg|png)|application\\/pdf)$/.test(file.type)) return 'Must be a JPG, PNG or PDF file.';
    if (file.size < limits.min) return 'Is too small: it must have at least ' + limits.min / 1000 + ' KB.';
    if (file.size > limits.max) return 'Is too large: it can have at most ' + limits.max / 1024 / 1024 + ' MB.';
    return '';
  };

  const checkControl = (control) => {
    if (control.type === 'file' && control.files.length > 0) return checkFile(control.files[0]);
    const validity = control.validity;
    const isKept = control.type === 'file' && control.closest('.field').querySelector('.kept') !== null;
    const isMissing = 'required' in control.dataset && control.value === '' && control.offsetParent !== null && !isKept;
    if (validity.valid && !isMissing) return '';
    if (validity.valueMissing || isMissing) return getLabel(control) + ' is required.';
    if (validity.tooShort) return 'Must have at least ' + control.minLength + ' characters.';
    if (validity.typeMismatch) return 'Must be an email address, such as ada@example.com.';
    return control.validationMessage;
  };

  // Shows the problem of a control at its field, or clears it.
  const validate = (control) => {
    const error = findError(control);
    if (!error) return '';
    const problem = checkControl(control);
    error.textContent = problem;
    error.hidden = problem === '';
    const field = control.closest('.field');
    if (field) field.classList.toggle('has-error', problem !== '');
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
      const name = getLabel(control);
      const rest = problem.startsWith(name) ? problem.slice(name.length + 1) : problem.charAt(0).toLowerCase() + problem.slice(1);
      link.textContent = describeControl(control) + ' ' + rest;
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    section.append(title, list);
    form().before(section);
    if (!document.title.startsWith('Error: ')) document.title = 'Error: ' + document.title;
    section.focus();
  };

  // Shows an image as soon as it is chosen, without uploading it.
  const showPreview = (control) => {
    const field = control.closest('.field');
    field.querySelector('.chosen')?.remove();
    const file = control.files[0];
    if (!file || checkFile(file) !== '') return;
    const shown = document.createElement('div');
    shown.className = 'kept chosen';
    if (file.type.startsWith('image/')) {
      const image = document.createElement('img');
      image.alt = describeControl(control) + ': ' + file.name;
      image.src = URL.createObjectURL(file);
      image.onload = () => URL.revokeObjectURL(image.src);
      shown.append(image);
    }
    const name = document.createElement('p');
    name.textContent = file.name + ', ' + Math.round(file.size / 1024) + ' KB.';
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
  let saving;
  const save = async () => {
    const body = new FormData(form());
    for (const [name, value] of [...body]) if (value instanceof File) body.delete(name);
    body.set('save', '1');
    const response = await fetch(location.href, {method: 'POST', body, redirect: 'manual'});
    const status = document.getElementById('save-status');
    if (status) status.textContent = response.type === 'opaqueredirect' ? 'Saved.' : '';
  };
  const saveSoon = () => {
    clearTimeout(saving);
    if (form().elements.namedItem('save')) saving = setTimeout(() => save().catch(() => {}), ${saveDelayMs});
  };

  document.addEventListener('change', (event) => {
    const control = event.target;
    if (!control.form || control.form !== form()) return;
    saveSoon();
    afterPress(() => {
      if (control.type === 'file') showPreview(control);
      validate(control);
    });
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
    clearTimeout(saving);
    const button = event.submitter;
    if (button && (button.name === 'go' || button.name === 'save')) return;
    if (button && (button.name === 'add' || button.name === 'remove')) {
      if (button.dataset.plain) return;
      event.preventDefault();
      loadAndReplace(button).catch(() => {
        button.disabled = false;
        button.dataset.plain = 'yes';
        button.click();
      });
      return;
    }
    const invalid = listControls(form()).map((control) => [control, validate(control)]).filter(([, problem]) => problem !== '');
    if (invalid.length > 0) {
      event.preventDefault();
      showSummary(invalid);
    } else {
      // Prevents a second submission. After the event, because disabling the button earlier would cancel this one.
      setTimeout(() => { for (const each of form().querySelectorAll('button')) each.disabled = true; });
    }
  });

  // Makes the page usable again when the user navigates back to it.
  addEventListener('pageshow', () => { for (const each of document.querySelectorAll('button')) each.disabled = false; });

  prepareForm();
})();
`
