// Runs before the first paint (a blocking script in <head>), so that the chosen appearance never flashes.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  let choice = null;
  try {
    choice = localStorage.getItem("theme");
  } catch {
    // Storage may be forbidden: the system's appearance it is.
  }
  if (choice === "light" || choice === "dark") root.dataset.theme = choice;
})();
