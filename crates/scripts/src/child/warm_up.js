export default {
  async fetch() {
    const key = await crypto.subtle.importKey("raw", crypto.getRandomValues(new Uint8Array(16)), "AES-GCM", false, ["encrypt"]);
    await crypto.subtle.encrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, key, new Uint8Array(1));
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(crypto.randomUUID()));
    const date = new Date();
    return Response.json({ bytes: hash.byteLength, local: `${date} ${date.toLocaleString()} ${date.getTimezoneOffset()}`, random: Math.random() });
  },
};
