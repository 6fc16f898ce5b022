// The search of a page that was opened from a folder: browsers start no worker from file://, so its script runs in a hidden frame.
// The theme's worker looks for the name IFrameWorker to know where its own files are.
class IFrameWorker extends EventTarget {
  constructor(url) {
    super()
    this.frame = document.createElement("iframe")
    this.frame.hidden = true
    this.frame.worker = this
    this.begun = new Promise(begin => this.frame.addEventListener("load", begin))
    const script = new URL(url, document.baseURI).href.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
    const own = "postMessage = data => frameElement.worker.dispatchEvent(new MessageEvent('message', {data}));" +
      "importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((loaded, failed) =>" +
      "document.head.append(Object.assign(document.createElement('script'), {src: url, onload: loaded, onerror: failed})))), Promise.resolve())"
    this.frame.srcdoc = `<!DOCTYPE html><script>${own}</script><script src="${script}"></script>`
    document.documentElement.append(this.frame)
  }

  async postMessage(data) {
    await this.begun
    this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data}))
  }

  terminate() {
    this.frame.remove()
  }
}

if (location.protocol === "file:") {
  window.IFrameWorker = IFrameWorker
  window.Worker = IFrameWorker
}
