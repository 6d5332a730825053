/**
 * Updates the queue page every two seconds while it is visible.
 * Texts such as file names and reasons come from strangers, so they are set as text, never as markup.
 */

const INTERVAL_MS = 2000;
const page = /** @type {HTMLElement} */ (document.querySelector("#queues"));

/**
 * @typedef {object} Figures What `portal.operations.queues.figures` answers.
 * @property {string} asked_at
 * @property {Record<string, {text: string, state: string}>} cells
 * @property {Record<string, string>} charts Points of a polyline.
 * @property {Record<string, Record<string, string>[]>} tables
 */

/**
 * Replace a table's rows; the first column links to the row's page.
 * @param {HTMLTableSectionElement} body
 * @param {Record<string, string>[]} rows
 */
function fillTable(body, rows) {
  const columns = (body.dataset.columns ?? "").split(" ");
  body.replaceChildren(
    ...rows.map((row) => {
      const line = document.createElement("tr");
      columns.forEach((column, index) => {
        const text = document.createElement(index === 0 ? "a" : "bdi");
        text.textContent = row[column];
        if (text instanceof HTMLAnchorElement) text.href = row.url;
        line.insertCell().append(text);
      });
      return line;
    }),
  );
  one(`[data-empty="${body.dataset.table}"]`).hidden = rows.length > 0;
}

/** @param {Figures} figures */
function show(figures) {
  one("[data-asked]").textContent = figures.asked_at;
  for (const cell of all("[data-cell]")) {
    const fresh = figures.cells[cell.dataset.cell ?? ""];
    if (fresh && (cell.textContent !== fresh.text || cell.dataset.state !== fresh.state)) {
      cell.textContent = fresh.text;
      cell.dataset.state = fresh.state;
    }
  }
  for (const line of all("[data-chart]")) {
    line.setAttribute("points", figures.charts[line.dataset.chart ?? ""] ?? "");
  }
  for (const body of all("[data-table]")) {
    fillTable(/** @type {HTMLTableSectionElement} */ (body), figures.tables[body.dataset.table ?? ""]);
  }
}

/** @param {string} selector @returns {HTMLElement} */
const one = (selector) => /** @type {HTMLElement} */ (page.querySelector(selector));

/** @param {string} selector @returns {NodeListOf<HTMLElement>} */
const all = (selector) => page.querySelectorAll(selector);

async function refresh() {
  if (!document.hidden) {
    let fresh = false;
    try {
      const response = await fetch(String(page.dataset.figures), {
        headers: { Accept: "application/json" },
        redirect: "error",
      });
      if (response.ok) {
        show(await response.json());
        fresh = true;
      }
    } catch {
      // No network, no answer, or a redirect to the login: the page says so below and asks again.
    }
    one("[data-stale]").hidden = fresh;
  }
  setTimeout(refresh, INTERVAL_MS);
}

setTimeout(refresh, INTERVAL_MS);
