/* Search in pages that are opened from a folder: browsers start no worker there, so its code runs in a frame. */
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) => Promise.all(urls.map((one) => IFrameWorker.load(inside, one)));
      IFrameWorker.load(inside, new URL(url, location.href).href).then(() => {
        this.send = (data) => inside.dispatchEvent(new MessageEvent("message", { data }));
        this.waiting.splice(0).forEach(this.send);
      });
    }
    static load(inside, url) {
      return new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: url, onload: done, onerror: failed });
        inside.document.body.append(script);
      });
    }
    postMessage(data) {
      if (this.send) this.send(data);
      else this.waiting.push(data);
    }
    terminate() {}
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
}
