/** Notices when a page is printed. */

/**
 * Call back before and after the page is printed or shown in a print preview.
 * @param {() => void} begin @param {() => void} [end]
 */
export function onPrint(begin, end = () => {}) {
  let printing = false;
  addEventListener("beforeprint", () => {
    printing = true;
    begin();
  });
  addEventListener("afterprint", () => {
    printing = false;
    end();
  });
  // While a preview is open, browsers alternate between the layouts for print and for the screen.
  matchMedia("print").addEventListener("change", ({ matches }) => {
    if (matches) begin();
    else if (!printing) end();
  });
}
