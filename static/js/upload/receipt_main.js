/** The page of a receipt: follows the upload and, once it has settled, shows the page as it is then. */

import { need } from "../dom.js";
import { outcome, silence } from "./outcome.js";
import { follow } from "./send.js";

const receipt = need("#receipt");
const said = need("#outcome");

await follow(
  String(receipt.dataset.receipt),
  (state) => {
    said.textContent = outcome(state);
  },
  () => {
    said.textContent = silence();
  },
);
// A moment, so that those who listen hear the outcome before the page is read anew.
setTimeout(() => location.reload(), 1200);
