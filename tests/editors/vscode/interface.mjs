// The packaged extension as a person uses it, in Chromium; each step ends with a look at what the screen says.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, startHost, workbenchUrl } from './host.mjs';

const size = { width: 1200, height: 800 };
const patienceMs = 300_000;  // It hangs, however busy the machine is.

class Workbench {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
  }

  async quickInput(key, text) {
    await this.page.keyboard.press(key);
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.fill(text);
  }

  async open(name) {
    await this.quickInput('Control+P', name);
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first().click();
    await this.page.mouse.move(size.width / 2, 12);  // Where nothing pops up under it.
    await this.page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);
    await this.page.waitForSelector('.editor-instance .view-line');
  }

  async command(title) {
    await this.quickInput('F1', `>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  async go(line, column) {
    await this.quickInput('Control+G', `:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.statusbar-item', { hasText: `Ln ${line}, Col ${column}` }).first().waitFor();
  }

  async hover() {
    await this.command('Show or Focus Hover');
    const text = await this.page.waitForFunction(() => {
      const said = document.querySelector('.monaco-hover:not(.hidden) .hover-contents')?.closest('.monaco-hover').innerText;
      return said && !/Loading/.test(said) ? said : null;
    }, null, { timeout: patienceMs });
    return (await text.jsonValue()).replace(/\u00a0/g, ' ');
  }

  async texts(selector) {
    await this.page.waitForSelector(selector);
    await this.page.waitForTimeout(300);  // Lists fill up after their first row.
    return (await this.page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  }

  /** Waits for a row that holds the words; the rest of the screen may still move. */
  async row(selector, words) {
    await this.page.locator(selector, { hasText: words }).first().waitFor();
  }

  async shoot(name) {
    await this.page.locator('.part.editor').evaluate((part) => {
      for (let around = part; around; around = around.parentElement)
        around.scrollTo(0, 0);  // Clicks may have moved the whole window by a few pixels.
    });
    await this.page.waitForTimeout(400);
    await this.page.screenshot({ path: join(this.shots, `${name}.png`) });
  }
}

function holds(text, words) {
  if (!text.includes(words))
    throw new Error(`"${text}" lacks "${words}"`);
}

const problemRow = '.markers-panel .monaco-list-row';
const outlineRow = '.outline-tree .monaco-list-row';

/** In this order: each goes on where the one before it stopped. */
const steps = {
  'problems panel': async (bench) => {
    await bench.open('llama.torchir');
    await bench.go(33, 84);
    await bench.page.waitForSelector('.view-overlays .squiggly-error');
    await bench.command('Problems: Focus on Problems View');
    await bench.row(problemRow, 'aten::rms_norm');
    holds((await bench.texts(problemRow)).join('\n'), "'aten::scaled_dot_product_attention' can't be exported to opset 13");
  },
  'unsupported operator under the cursor': async (bench) => {
    await bench.open('llama.torchir');
    await bench.go(33, 84);
    const text = await bench.hover();
    holds(text, "'aten::rms_norm' can't be exported");
    holds(text, 'unsupported-op');
    await bench.page.locator('.monaco-hover', { hasText: 'Quick Fix' }).first().waitFor();
    await bench.shoot('problems');
    await bench.page.keyboard.press('Escape');
  },
  'semantic colours': async (bench) => {
    const classes = await bench.page.locator('.view-line span[class*="mtk"]').evaluateAll(
      (spans) => [...new Set(spans.map((span) => span.className.match(/mtk\d+/)[0]))]);
    if (classes.length < 5)
      throw new Error(`only ${classes.join(', ')} in the editor`);
  },
  'status': async (bench) => {
    await bench.page.locator('.statusbar-item[id*="languageStatus"], #status\\.languageStatus').first().hover();
    const text = (await bench.texts('.monaco-hover .hover-language-status')).join('\n');
    holds(text, 'Opset 13');
    holds(text, 'TorchScript exporter of torch 2.6');
    holds(text, 'onnxls 0.');
    await bench.page.mouse.move(600, 300);
  },
  'hover of an operator': async (bench) => {
    await bench.command('View: Toggle Panel Visibility');
    await bench.open('branches.torchir');
    await bench.go(12, 30);
    holds(await bench.hover(), 'aten::linear');
    await bench.shoot('hover');
    await bench.page.keyboard.press('Escape');
  },
  'definition': async (bench) => {
    await bench.go(24, 44);
    await bench.page.keyboard.press('F12');
    await bench.page.locator('.statusbar-item', { hasText: 'Ln 6, Col 3' }).first().waitFor();
  },
  'set opset': async (bench) => {
    await bench.open('llama.torchir');
    await bench.command('onnxls: Set Opset');
    const input = bench.page.locator('.quick-input-widget input').first();
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'No opset here' }).first().waitFor();
    await input.fill('14');
    await bench.page.keyboard.press('Enter');
    await bench.command('Problems: Focus on Problems View');
    await bench.page.locator(problemRow, { hasText: 'scaled_dot_product' }).first().waitFor({ state: 'detached' });
    holds((await bench.texts(problemRow)).join('\n'), 'aten::rms_norm');
    await bench.command('View: Toggle Panel Visibility');
  },
  'set target': async (bench) => {
    await bench.open('llama.torchir');
    const bar = bench.page.locator('.statusbar-item', { hasText: 'torch 2.6, opset 14' }).first();
    await bar.waitFor();  // What the step before left.
    await bar.click();
    const row = (text) => bench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
    holds(await row('Opset').innerText(), '14');
    holds(await row('Runtime').innerText(), 'any');
    await bench.shoot('target');
    await row('Opset').click();
    holds(await row(/^13/).innerText(), '2 errors more');
    await bench.shoot('opsets');
    await bench.page.keyboard.press('Escape');
  },
  'picture that follows the cursor, and leads it': async (bench) => {
    await bench.open('llama.torchir');
    await bench.go(33, 84);
    await bench.command('onnxls: Show Picture');
    const frame = bench.page.frameLocator('iframe.webview').last().frameLocator('#active-frame');
    const about = frame.locator('.about');
    await frame.locator('.about h2', { hasText: 'rms_norm' }).waitFor();
    holds(await about.innerText(), "'aten::rms_norm' can't be exported");
    await bench.page.locator('.tab[data-resource-name="llama.torchir"]').first().click();
    await bench.go(42, 1);
    await frame.locator('.about h2', { hasText: 'linear' }).waitFor();
    await bench.command('View: Toggle Primary Side Bar Visibility');
    await bench.page.mouse.move(size.width / 2, 12);
    await bench.shoot('picture');
    await bench.command('View: Toggle Primary Side Bar Visibility');
    // Another node that is in view, where the picture has it.
    const node = await frame.locator('canvas').evaluate((canvas) => {
      const { scene, view, placeOf, chosen } = window.onnxlsPicture;
      const { x: left, y: top, scale } = view();
      const nodes = [...Array(200).keys()].map((index) => placeOf(chosen().scope, index)).filter((place) => place?.box.card.kind === 'node');
      const seen = nodes.map(({ box, x, y }) => ({ line: box.card.line, x: left + (x + box.width / 2) * scale, y: top + (y + box.height / 2) * scale }))
        .filter(({ line, x, y }) => {
          const { left: canvasLeft, top: canvasTop } = canvas.getBoundingClientRect();
          return line !== chosen().line && document.elementFromPoint(canvasLeft + x, canvasTop + y) === canvas;
        });
      return seen[0] ?? { boxes: scene().boxes.length };
    });
    if (node.line === undefined)
      throw new Error(`no other node is in view: ${JSON.stringify(node)}`);
    await frame.locator('canvas').click({ position: node });
    await bench.page.locator('.active-line-number', { hasText: new RegExp(`^${node.line + 1}$`) }).first().waitFor();
    await bench.page.locator('.tab[aria-label*="Picture of"]').first().click({ button: 'middle' });
  },
  'operators of the workspace': async (bench) => {
    await bench.open('llama.torchir');
    await bench.command('onnxls: List Operators of the Workspace');
    const row = (text) => bench.page.locator('.pane .monaco-list-row', { hasText: text }).first();
    await row('aten::rms_norm').waitFor();
    holds(await row('aten::rms_norm').innerText(), 'TorchScript: no opset');
    await row('aten::rms_norm').click();
    await row('llama.torchir').waitFor();
    await bench.shoot('operators');
    await bench.command('View: Toggle Panel Visibility');
  },
  'list of unsupported operators': async (bench) => {
    await bench.open('llama.torchir');
    await bench.command('onnxls: List Unsupported Operators');
    await bench.page.waitForSelector('.tab.active[data-resource-name*="unsupported operators"]');
    await bench.row('.editor-instance .view-line', 'to opset 14 with');
    await bench.shoot('list');
    await bench.page.keyboard.press('Control+W');
  },
  'outline of a GPT-like dump': async (bench) => {
    await bench.open('gpt.torchir');
    await bench.command('Explorer: Focus on Outline View');
    await bench.row(outlineRow, 'graph');
    await bench.page.locator('.pane-header', { hasText: 'project' }).first().click();  // Makes room.
    for (const [name, which] of [['graph', 0], ['blocks.0', 0], ['blocks.0.att', 1]]) {
      await bench.page.locator(outlineRow, { hasText: new RegExp(`^${name}`) }).nth(which).click();
      await bench.page.keyboard.press('ArrowRight');
    }
    await bench.row(outlineRow, 'aten::floor_divide');
    await bench.shoot('outline');
    await bench.page.locator('.pane-header', { hasText: 'project' }).first().click();
  },
  'hover of an attribute in Python': async (bench) => {
    await bench.open('symbolic.py');
    await bench.page.waitForSelector('.view-overlays .squiggly-error');
    await bench.go(9, 33);
    holds(await bench.hover(), 'Attribute of Elu at opset 14');  // What "set opset" left.
    await bench.shoot('python');
    await bench.page.keyboard.press('Escape');
  },
  'hover of an ONNX operator': async (bench) => {
    await bench.go(9, 20);
    holds(await bench.hover(), 'Elu(X: T) -> (Y: T)');
    await bench.shoot('operator');
    await bench.page.keyboard.press('Escape');
  },
  'stub by the light bulb': async (bench) => {
    await bench.open('llama.torchir');
    await bench.go(33, 84);
    await bench.command('Quick Fix');
    const fix = bench.page.locator('.action-widget .monaco-list-row', { hasText: 'Create a symbolic function for' }).first();
    await fix.waitFor();
    await bench.shoot('fixes');
    await bench.page.keyboard.press('Escape');
    await bench.command('onnxls: Create Symbolic Function');
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'in symbolic_rms_norm.py' }).first().click();
    await bench.page.waitForSelector('.tab.active[data-resource-name^="symbolic_"]');
    await bench.row('.editor-instance .view-line', 'def rms_norm');
    await bench.shoot('stub');
  },
  'sample by the walkthrough': async (bench) => {
    await bench.command('Welcome: Open Walkthrough...');
    const input = bench.page.locator('.quick-input-widget input').first();
    await input.fill('onnxls');
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'onnxls' }).first().click();
    await bench.page.locator('.getting-started-step', { hasText: 'Open a sample dump' }).first().waitFor();
    await bench.shoot('walkthrough');
    await bench.page.locator('.monaco-button', { hasText: /^Open Sample Dump$/ }).first().click();
    await bench.page.waitForSelector('.tab.active:not(.dirty)[data-resource-name="attention.torchir"]');
    await bench.page.waitForSelector('.view-overlays .squiggly-error');
  },
};

/** What an untrusted workspace says of the server is not heard; everything else works. */
const restrictedSteps = {
  'untrusted workspace': async (bench) => {
    await bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).first().waitFor();
    await bench.open('llama.torchir');
    await bench.go(33, 84);
    await bench.page.waitForSelector('.view-overlays .squiggly-error');
  },
};

const missingSteps = {
  'no server': async (bench) => {
    await bench.open('llama.torchir');
    await bench.command('Notifications: Show Notifications');  // A toast may be gone by now.
    const message = bench.page.locator('.notification-list-item', { hasText: 'The server onnxls was not found' }).first();
    await message.waitFor();
    await message.hover();
    await message.locator('.monaco-button', { hasText: 'How to Install' }).waitFor();
    await message.locator('.monaco-button', { hasText: 'Open Settings' }).click();
    await bench.page.locator('.setting-item-contents', { hasText: 'Server: Path' }).first().waitFor();
  },
};

async function openWorkbench(browser, authority, project, shots) {
  const page = browser.pages()[0];
  page.setDefaultTimeout(patienceMs);
  await page.goto(workbenchUrl(authority, project));
  await page.waitForSelector('.monaco-workbench .explorer-folders-view .monaco-list-row');
  return new Workbench(page, shots);
}

/** Every step in turn; after one that fails, the next starts from what it left. */
async function walk(bench, steps, only = '') {
  const results = [];
  for (const [feature, step] of Object.entries(steps)) {
    if (!feature.includes(only))
      continue;
    const start = Date.now();
    try {
      await step(bench);
      results.push({ feature, result: 'passed', ms: Date.now() - start });
    } catch (error) {
      await bench.shoot(`failed-${feature.replace(/\W+/g, '-')}`);
      results.push({ feature, result: 'failed', note: error.message.split('\n').slice(0, 4).join(' ') });
      await bench.page.keyboard.press('Escape');
    }
  }
  return results;
}

async function runSteps({ host, scratch, project, shots, only }, steps, options) {
  const started = await startHost(host, scratch, options);
  const browser = await openBrowser(host, scratch, size);
  try {
    return await walk(await openWorkbench(browser, started.authority, project, shots), steps, only);
  } catch (error) {
    return [{ feature: 'the run itself', result: 'failed', note: error.message }];
  } finally {
    await browser.close();
    started.stop();
  }
}

/** What a hover says in a VS Code that has nothing but this extension. */
export async function hoverInWorkbench({ host, scratch, vsix, project, file, line, column }) {
  const started = await startHost(host, scratch, { vsix: [vsix], env: { PATH: '/usr/bin:/bin' } });
  const browser = await openBrowser(host, scratch, size);
  try {
    const bench = await openWorkbench(browser, started.authority, project, scratch);
    await bench.open(file);
    await bench.go(line, column);
    await bench.page.waitForSelector('.view-overlays .squiggly-error');
    return await bench.hover();
  } finally {
    await browser.close();
    started.stop();
  }
}

/** `packages.full` has the server in it, `packages.bare` has not. */
export async function runInterface(given) {
  const { project, root, shots, packages } = given;
  rmSync(shots, { recursive: true, force: true });
  mkdirSync(shots, { recursive: true });
  copyFileSync(join(root, 'demo/llama.torchir'), join(project, 'llama.torchir'));
  copyFileSync(join(root, 'tests/corpus/torch-ir/torch-1.13/ts/gpt2l.inlined.txt'), join(project, 'gpt.torchir'));
  const results = await runSteps(given, steps, {
    vsix: [packages.full], settings: { 'editor.minimap.enabled': false, 'outline.collapseItems': 'alwaysCollapse' },
  });
  mkdirSync(join(project, '.vscode'), { recursive: true });
  writeFileSync(join(project, '.vscode/settings.json'), '{ "onnxls.server.path": "/bin/false" }\n');
  results.push(...await runSteps(given, restrictedSteps, {
    vsix: [packages.full], flags: [], settings: { 'security.workspace.trust.startupPrompt': 'never' },
  }));
  rmSync(join(project, '.vscode'), { recursive: true });
  results.push(...await runSteps(given, missingSteps, { vsix: [packages.bare], env: { PATH: '/usr/bin:/bin' } }));
  return results;
}
