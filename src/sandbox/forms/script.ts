// The script of the hosted forms, as text for the browser: what it adds is comfort, and every form works without it.
export const script = ''
