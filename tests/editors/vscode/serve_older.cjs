// VS Code's server of a version whose server-main.js is a library: takes the words that later ones take, after the folder.
const { createServer } = require('node:http');
const { join } = require('node:path');

const [folder, ...words] = process.argv.slice(2);

/** `--install-extension FILE` may come again; a name without a word is true. */
function optionsOf() {
  const options = { 'install-extension': [] };
  for (let i = 0; i < words.length; i++) {
    const name = words[i].slice(2);
    const value = words[i + 1]?.startsWith('--') === false ? words[++i] : true;
    if (name === 'install-extension')
      options[name].push(value);
    else
      options[name] = value;
  }
  return options;
}

async function main() {
  const options = optionsOf();
  if (options.version)
    return console.log(require(join(folder, 'package.json')).version);
  const library = await require(join(folder, 'out/server-main.js')).loadCodeWithNls();
  if (options['install-extension'].length > 0)
    return library.spawnCli(options);
  const vscode = await library.createServer(null, { ...options, 'install-extension': undefined, compatibility: '1.64' });
  const server = createServer((request, response) => vscode.handleRequest(request, response));
  server.on('upgrade', (request, socket) => vscode.handleUpgrade(request, socket));
  server.listen(Number(options.port), options.host, () => console.log('Extension host agent listening on', options.port));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
