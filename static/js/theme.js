// A blocking script in <head>: it runs before the first paint, so that no other theme is seen first.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  let choice = null;
  try {
    choice = localStorage.getItem("theme");
  } catch {
    // Storage may be forbidden; the system's theme is used then.
  }
  if (choice === "light" || choice === "dark") root.dataset.theme = choice;
})();
