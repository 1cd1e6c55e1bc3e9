// Before anything is drawn, so that a dark page does not begin light. Without a choice the system decides.
const chosen = localStorage.getItem('windlass-theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
