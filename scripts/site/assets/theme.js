// Applies the chosen colours before the page is drawn. Without a choice, the system decides.
try {
  const theme = localStorage.getItem('theme')
  if (theme) document.documentElement.dataset.theme = theme
} catch {
  // A browser that stores nothing uses the colours of the system.
}
