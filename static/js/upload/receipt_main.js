/** The page of a receipt: follows the upload, and reloads once its status is final. */

import { need } from "../dom.js";
import { outcome, unavailable } from "./outcome.js";
import { follow } from "./send.js";

const receipt = need("#receipt");
const message = need("#outcome");

await follow(
  String(receipt.dataset.receipt),
  (state) => {
    message.textContent = outcome(state);
  },
  () => {
    message.textContent = unavailable();
  },
);
// Screen readers need a moment to read the outcome before the page is loaded again.
setTimeout(() => location.reload(), 1200);
