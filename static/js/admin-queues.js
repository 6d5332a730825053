/**
 * Keeps the queue page fresh: asks for its figures every two seconds while it is looked at.
 * Texts may be strangers' (file names, reasons), so they only ever become text, never markup.
 */

const EVERY_MS = 2000;
const page = document.getElementById("queues");

/**
 * Rebuild a table of rows from the site's answer; the first column links to the row's own page.
 * @param {HTMLTableSectionElement} body
 * @param {Array<Object<string, string>>} rows
 */
function fillTable(body, rows) {
  const columns = body.dataset.columns.split(" ");
  body.replaceChildren(
    ...rows.map((row) => {
      const line = document.createElement("tr");
      columns.forEach((column, index) => {
        const text = document.createElement(index === 0 ? "a" : "bdi");
        text.textContent = row[column];
        if (index === 0) {
          text.href = row.url;
        }
        line.insertCell().append(text);
      });
      return line;
    }),
  );
  const empty = page.querySelector(`[data-empty="${body.dataset.table}"]`);
  empty.hidden = rows.length > 0;
}

/** @param {Object} figures as `portal.operations.queues.figures` answers them */
function show(figures) {
  page.querySelector("[data-asked]").textContent = figures.asked_at;
  for (const cell of page.querySelectorAll("[data-cell]")) {
    const fresh = figures.cells[cell.dataset.cell];
    if (fresh && (cell.textContent !== fresh.text || cell.dataset.state !== fresh.state)) {
      cell.textContent = fresh.text;
      cell.dataset.state = fresh.state;
    }
  }
  for (const line of page.querySelectorAll("[data-chart]")) {
    line.setAttribute("points", figures.charts[line.dataset.chart] ?? "");
  }
  for (const body of page.querySelectorAll("[data-table]")) {
    fillTable(body, figures.tables[body.dataset.table]);
  }
}

async function refresh() {
  if (!document.hidden) {
    let fresh = false;
    try {
      const response = await fetch(page.dataset.figures, { headers: { Accept: "application/json" }, redirect: "error" });
      if (response.ok) {
        show(await response.json());
        fresh = true;
      }
    } catch {
      // No network, no site, or a redirect to the login: the page says so below and asks again.
    }
    page.querySelector("[data-stale]").hidden = fresh;
  }
  setTimeout(refresh, EVERY_MS);
}

setTimeout(refresh, EVERY_MS);
