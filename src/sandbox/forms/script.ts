// The script of the hosted forms, as text for the browser: what it adds is comfort, and every form works without it.
import {limits} from '../../contract/limits.ts'

const fileLimits = {min: limits.documentBytesMin, max: limits.documentBytesMax}

export const script = `'use strict';
(() => {
  const limits = ${JSON.stringify(fileLimits)};
  const form = () => document.getElementById('form');
  const errorOf = (control) => document.getElementById(control.id + '-error');
  // "Person 2, document 1: image of the front", as the page itself says it.
  const labelOf = (control) => {
    const label = document.querySelector('label[for="' + CSS.escape(control.id) + '"]');
    const name = label ? label.firstChild.textContent.trim() : control.name;
    const places = [];
    for (let item = control.closest('.item'); item; item = item.parentElement.closest('.item')) {
      const legend = item.querySelector('legend').textContent.trim();
      if (/\\d$/.test(legend)) places.unshift(legend.toLowerCase());
    }
    if (places.length === 0) return name;
    const place = places.join(', ');
    return place.charAt(0).toUpperCase() + place.slice(1) + ': ' + name.charAt(0).toLowerCase() + name.slice(1);
  };

  const fileProblem = (file) => {
    if (!/^(image\\/(jpeg|png)|application\\/pdf)$/.test(file.type)) return 'Must be JPG, PNG or PDF.';
    if (file.size < limits.min) return 'Is too small: at least ' + limits.min / 1024 + ' KB are needed.';
    if (file.size > limits.max) return 'Is too large: at most ' + limits.max / 1024 / 1024 + ' MB are taken.';
    return '';
  };

  const problemOf = (control) => {
    if (control.type === 'file' && control.files.length > 0) return fileProblem(control.files[0]);
    const validity = control.validity;
    const isHeld = control.type === 'file' && control.closest('.field').querySelector('.kept') !== null;
    const isMissing = 'wanted' in control.dataset && control.value === '' && control.offsetParent !== null && !isHeld;
    if (validity.valid && !isMissing) return '';
    if (validity.valueMissing || isMissing) return 'Is needed.';
    if (validity.tooShort) return 'Must have at least ' + control.minLength + ' characters.';
    if (validity.typeMismatch) return 'Must be an email address, such as ada@example.com.';
    return control.validationMessage;
  };

  // Says beside the field what is wrong with it, or that nothing is any more.
  const judge = (control) => {
    const place = errorOf(control);
    if (!place) return '';
    const problem = problemOf(control);
    place.textContent = problem;
    place.hidden = problem === '';
    const field = control.closest('.field');
    if (field) field.classList.toggle('has-error', problem !== '');
    if (problem === '') control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', 'true');
    return problem;
  };

  const controlsOf = (within) => [...within.elements].filter((control) => control.id && errorOf(control));

  const summarize = (wrong) => {
    document.getElementById('errors')?.remove();
    const section = document.createElement('section');
    section.id = 'errors';
    section.className = 'card summary';
    section.tabIndex = -1;
    section.setAttribute('role', 'alert');
    section.setAttribute('aria-labelledby', 'errors-title');
    const title = document.createElement('h2');
    title.id = 'errors-title';
    title.textContent = 'Please correct this first';
    const list = document.createElement('ul');
    for (const [control, problem] of wrong) {
      const link = document.createElement('a');
      link.href = '#' + control.id;
      link.textContent = labelOf(control) + ' ' + problem.charAt(0).toLowerCase() + problem.slice(1);
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    section.append(title, list);
    form().before(section);
    if (!document.title.startsWith('Error: ')) document.title = 'Error: ' + document.title;
    section.focus();
  };

  // A picture is shown as soon as it is chosen, from the machine itself.
  const preview = (control) => {
    const field = control.closest('.field');
    field.querySelector('.chosen')?.remove();
    const file = control.files[0];
    if (!file || fileProblem(file) !== '') return;
    const shown = document.createElement('div');
    shown.className = 'kept chosen';
    if (file.type.startsWith('image/')) {
      const image = document.createElement('img');
      image.alt = labelOf(control) + ': ' + file.name;
      image.src = URL.createObjectURL(file);
      image.onload = () => URL.revokeObjectURL(image.src);
      shown.append(image);
    }
    const name = document.createElement('p');
    name.textContent = file.name + ', ' + Math.round(file.size / 1024) + ' KB.';
    shown.append(name);
    control.after(shown);
  };

  const settle = () => {
    if (form()) form().noValidate = true;
    document.getElementById('errors')?.focus();
  };

  // The same page that the button would lead to, put in place of this one without leaving it.
  const replace = async (button) => {
    // Read before the button is disabled: a disabled one is not sent, and the form would be sent for good.
    const body = new FormData(form(), button);
    button.disabled = true;
    const answer = await fetch(location.href, {method: 'POST', body});
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!page.getElementById('form')) throw new Error('no form came back');
    const target = new URL(button.formAction).hash.slice(1);
    document.querySelector('main').replaceWith(page.querySelector('main'));
    document.title = page.title;
    settle();
    if (!document.getElementById('errors')) {
      const place = document.getElementById(target);
      (place?.querySelector('input:not([type=hidden]), select, textarea, button') ?? place)?.focus();
      place?.scrollIntoView({block: 'start'});
    }
  };

  document.addEventListener('change', (event) => {
    const control = event.target;
    if (!control.form || control.form !== form()) return;
    if (control.type === 'file') preview(control);
    judge(control);
  });

  document.addEventListener('focusout', (event) => {
    const control = event.target;
    if (control.form && control.value && control.type !== 'file') {
      const place = control.id && errorOf(control);
      // What the service said stays until the field is changed.
      if (place && place.hidden) judge(control);
    }
  });

  document.addEventListener('submit', (event) => {
    if (event.target !== form()) return;
    const button = event.submitter;
    if (button && (button.name === 'add' || button.name === 'remove')) {
      if (button.dataset.plain) return;
      event.preventDefault();
      replace(button).catch(() => {
        button.disabled = false;
        button.dataset.plain = 'yes';
        button.click();
      });
      return;
    }
    const wrong = controlsOf(form()).map((control) => [control, judge(control)]).filter(([, problem]) => problem !== '');
    if (wrong.length > 0) {
      event.preventDefault();
      summarize(wrong);
    } else {
      // Sent once, however often it is pressed; after the event, since a disabled button would not be pressed at all.
      setTimeout(() => { for (const each of form().querySelectorAll('button')) each.disabled = true; });
    }
  });

  // Coming back to the page must find it usable.
  addEventListener('pageshow', () => { for (const each of document.querySelectorAll('button')) each.disabled = false; });

  settle();
})();
`
