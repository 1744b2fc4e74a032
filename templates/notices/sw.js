// Shows what is pushed. A newer push about the same match takes the place of the one before.
self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  event.waitUntil(show(told));
});

async function show(told) {
  const icon = "{{ static("img/icon-192.png") }}";
  const options = { body: told.body, tag: told.tag, icon, data: told.url };
  if (!told.done) return self.registration.showNotification(told.title, { ...options, renotify: true });
  const shown = await self.registration.getNotifications({ tag: told.tag });
  if (shown.length) await self.registration.showNotification(told.title, { ...options, silent: true });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(new URL(event.notification.data || "/", self.location.origin)));
});

async function open(url) {
  if (url.origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find((one) => new URL(one.url).pathname === url.pathname);
  await (page ? page.focus() : self.clients.openWindow(url.href));
}
