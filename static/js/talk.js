// On a page of what is said: the socket tells that there is something new, and the list asks for it.
import "./heard.js";

const { socket: path } = document.querySelector("[data-socket]").dataset;
let failures = 0;

function connect() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}${path}`);
  socket.addEventListener("open", () => {
    if (failures) htmx.trigger(document.body, "said");
    failures = 0;
  });
  socket.addEventListener("message", (event) => {
    if (JSON.parse(event.data).said) htmx.trigger(document.body, "said");
  });
  socket.addEventListener("close", (event) => {
    if (event.code === 4403) return location.reload();
    failures += 1;
    setTimeout(connect, Math.min(30, 2 ** failures) * (500 + 500 * Math.random()));
  });
}
connect();
