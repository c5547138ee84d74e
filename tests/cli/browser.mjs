// Chromium, driven over a pipe: pages are opened, asked and clicked. docs: chromedevtools.github.io/devtools-protocol.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export const chromium = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')).find(existsSync);

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync',
  '--disable-component-update', '--remote-debugging-pipe'];

/** A browser with one page of 1280 x 800. `close()` ends it. */
export async function openBrowser() {
  const home = mkdtempSync(join(tmpdir(), 'onnxls-chromium-'));
  const browser = spawn(chromium, [...flags, `--user-data-dir=${home}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map();
  const events = [];
  let asked = 0;
  let text = '';
  browser.stdio[4].setEncoding('utf8').on('data', (data) => {
    text += data;
    for (let end; (end = text.indexOf('\0')) >= 0; text = text.slice(end + 1)) {
      const message = JSON.parse(text.slice(0, end));
      if (message.id === undefined) {
        events.push(message);
        continue;
      }
      const { done, failed } = waiting.get(message.id);
      waiting.delete(message.id);
      message.error ? failed(new Error(message.error.message)) : done(message.result);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((done, failed) => {
    waiting.set(++asked, { done, failed });
    browser.stdio[3].write(`${JSON.stringify({ id: asked, method, params, sessionId })}\0`);
  });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  await page('Page.enable');
  await page('Runtime.enable');
  await page('Log.enable');
  await page('Emulation.setDeviceMetricsOverride', { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false });

  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await page('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  return {
    send: page,
    events,
    evaluate,
    open: async (url) => {
      await page('Page.navigate', { url });
      await evaluate('new Promise((done) => document.readyState === "complete" ? done() : addEventListener("load", () => done()))');
    },
    click: async (x, y) => {
      for (const type of ['mousePressed', 'mouseReleased'])
        await page('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    key: async (key, code = key) => {
      for (const type of ['keyDown', 'keyUp'])
        await page('Input.dispatchKeyEvent', { type, key, code, ...(type === 'keyDown' && key.length === 1 ? { text: key } : {}) });
    },
    close: async () => {
      await Promise.race([send('Browser.close').catch(() => {}), new Promise((done) => browser.once('exit', done))]);
      if (browser.exitCode === null)
        await new Promise((done) => browser.once('exit', done));
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
