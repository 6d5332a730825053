/** Knowing when a page is printed. */

/**
 * Call back before and after the page is printed, or looked at as it would be printed.
 * @param {() => void} begin @param {() => void} [end]
 */
export function whenPrinted(begin, end = () => {}) {
  let printing = false;
  addEventListener("beforeprint", () => {
    printing = true;
    begin();
  });
  addEventListener("afterprint", () => {
    printing = false;
    end();
  });
  // While a browser's preview is open it lays the page out in turns for print and for the screen.
  matchMedia("print").addEventListener("change", ({ matches }) => {
    if (matches) begin();
    else if (!printing) end();
  });
}
