// Sums, ratios, budgets, and the Markdown that docs/performance.md shows.

/** The budgets of the design for a dump of 400k nodes; milliseconds and bytes. */
export const BUDGETS = {
  start: 5, startMemory: 10e6, open: 600, keystroke: 10, burst: 30, hover: 1, definition: 1, completion: 10,
  memoryOpen: 75e6, memoryEdits: 80e6,
};
export const BUDGET_NODES = 400000;

/** The budgets for a Python file of that many bytes, as large as the largest of torch's own. */
export const PYTHON_BUDGETS = { open: 40, keystroke: 10, hover: 1, definition: 1, completion: 5 };
export const PYTHON_BYTES = 220000;

/** name, title, the statistic that counts, unit. */
const ROWS = [
  ['start', 'spawn to `initialize` answered', 'p50', 'ms'],
  ['startMemory', 'resident memory then', 'p50', 'bytes'],
  ['open', 'open to diagnostics', 'p50', 'ms'],
  ['openCpu', 'the same, computing time of all threads', 'p50', 'ms'],
  ['keystroke', 'one keystroke to diagnostics', 'p50', 'ms'],
  ['keystrokeCpu', 'the same, computing time', 'p50', 'ms'],
  ['breaking', 'one keystroke that breaks a name, or mends it', 'p50', 'ms'],
  ['blockLine', 'one keystroke that makes a line of a block unreadable', 'p50', 'ms'],
  ['definitionName', 'one keystroke in the name that the most lines use', 'p50', 'ms'],
  ['burst', 'burst of 10 keystrokes to the last diagnostics', 'p50', 'ms'],
  ['hover', 'hover, p99', 'p99', 'ms'],
  ['definition', 'definition, p99', 'p99', 'ms'],
  ['completion', 'completion', 'p50', 'ms'],
  ['documentSymbol', 'document symbols', 'p50', 'ms'],
  ['semanticTokens', 'semantic tokens of 200 lines, p99', 'p99', 'ms'],
  ['memoryOpen', 'resident memory after open', 'p50', 'bytes'],
  ['memoryEdits', 'resident memory after the edits', 'p50', 'bytes'],
  ['memoryPeak', 'peak of resident memory', 'p50', 'bytes'],
];

/** { n, min, p50, p99, max } of the samples; undefined for none. */
export function summarize(samples) {
  const sorted = (samples ?? []).filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0)
    return undefined;
  const rank = (p) => sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)];
  const middle = sorted.length >> 1;
  const p50 = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { n: sorted.length, min: sorted[0], p50, p99: rank(0.99), max: sorted.at(-1) };
}

export function formatValue(value, unit) {
  if (value === undefined || value === null)
    return '–';
  if (unit === 'bytes')
    return `${(value / 1e6).toFixed(value < 10e6 ? 1 : 0)} MB`;
  if (value >= 1000)
    return `${(value / 1000).toFixed(value < 10000 ? 2 : 1)} s`;
  return `${value.toFixed(value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
}

function formatRatio(value) {
  return value === undefined ? '–' : `${value.toFixed(value < 10 ? 1 : 0)}x`;
}

/** How many times more the peer needs; undefined if one of them has no number. */
export function ratioOf(document, name, statistic = 'p50') {
  const [ours, peers] = [document.server?.[name], document.peer?.[name]];
  return ours && peers && peers[statistic] / ours[statistic];
}

function table(header, rows) {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n') + '\n';
}

function cell(result, name, statistic, unit) {
  const sum = result?.[name];
  if (!sum)
    return '–';
  const spread = unit === 'bytes' || sum.n === 1 || statistic === 'p99'
    ? '' : ` (${formatValue(sum.min, unit)}..${formatValue(sum.max, unit)})`;
  return formatValue(sum[statistic], unit) + spread;
}

/** One document: every number, the ratio to the peer, and the budget where there is one. */
function documentTable(document, runServers) {
  const servers = document.servers ?? runServers;
  const budgets = document.budgets ?? (document.nodes === BUDGET_NODES ? BUDGETS : null);
  const rows = [];
  for (const [name, title, statistic, unit] of ROWS) {
    const [ours, peers] = [document.server?.[name], document.peer?.[name]];
    if (!ours && !peers)
      continue;
    const row = [title];
    if (servers.peer && document.peer)
      row.push(cell(document.peer, name, statistic, unit));
    row.push(cell(document.server, name, statistic, unit));
    if (servers.peer && document.peer)
      row.push(formatRatio(ratioOf(document, name, statistic)));
    if (budgets) {
      const budget = budgets[name];
      const verdict = ours && (ours[statistic] <= budget ? 'met' : 'missed');
      row.push(budget ? `${formatValue(budget, unit)}${verdict ? `, ${verdict}` : ''}` : '');
    }
    rows.push(row);
  }
  const peer = servers.peer && document.peer;
  const header = ['', ...(peer ? [servers.peer.name] : []), servers.server?.name ?? '–', ...(peer ? ['ratio'] : []),
                  ...(budgets ? ['budget'] : [])];
  const failures = ['server', 'peer'].filter((key) => document[key]?.error)
    .map((key) => `${servers[key].name} gave up: ${document[key].error}.\n`).join('');
  return `### ${document.name} (${(document.bytes / 1e6).toFixed(1)} MB)\n\n${table(header, rows)}${failures}`;
}

/** How cost grows with size. */
function growthTable(documents, servers) {
  const rows = documents.map((document) => {
    const value = (key, name, unit = 'ms', statistic = 'p50') => formatValue(document[key]?.[name]?.[statistic], unit);
    const computed = document.server?.openCpu?.p50;
    return [document.name, (document.bytes / 1e6).toFixed(1), value('server', 'open'), value('server', 'openCpu'),
            computed ? (computed / (document.bytes / 1e6)).toFixed(0) : '–', value('server', 'keystroke'),
            value('server', 'keystrokeCpu'), value('server', 'burst'), value('server', 'hover', 'ms', 'p99'),
            value('server', 'memoryOpen', 'bytes'),
            ...(servers.peer ? ['open', 'keystroke'].map((name) => value('peer', name)) : []),
            ...(servers.peer ? [value('peer', 'memoryOpen', 'bytes')] : [])];
  });
  const peer = servers.peer ? [`${servers.peer.name}: open`, 'keystroke', 'memory'] : [];
  return table(['document', 'MB', 'open', 'computing', 'ms a MB', 'keystroke', 'computing', 'burst', 'hover p99',
                'memory', ...peer], rows);
}

export function markdown(run) {
  const { machine, servers, client } = run;
  const graphs = run.documents.filter((document) => !document.servers);
  const peers = run.documents.map((document) => document.servers?.peer);
  const names = [...Object.values(servers), ...peers].filter(Boolean).map(({ name, version }) => `${name} ${version}`).join(', ');
  return [
    `Measured on ${run.date}: ${names}; ${machine.cpu}, ${machine.cores} cores, ${machine.memory} GB, ` +
    `${machine.system}, Node ${machine.node}; ${run.repeat} repetitions, load average before ${machine.load}; ` +
    `${run.unsupported} operators without support in each generated dump.\n`,
    `The client's own part: ${formatValue(client.spawn.p50, 'ms')} for a spawn, ` +
    `${formatValue(client.roundTrip.p50, 'ms')} (p99 ${formatValue(client.roundTrip.p99, 'ms')}) ` +
    `for a message and its answer, ${formatValue(client.largeWrite.p50, 'ms')} to hand over ` +
    `${(client.largeBytes / 1e6).toFixed(0)} MB.\n`,
    ...run.documents.map((document) => documentTable(document, servers)),
    ...(graphs.length > 0 ? [`### Growth\n\n${growthTable(graphs, servers)}`] : []),
  ].join('\n');
}

/** Two builds of the server: what a busy machine changes least, computing time and memory, and what the new one takes of it. */
export function comparison(run) {
  const rows = run.documents.flatMap((document) => ROWS.flatMap(([name, title, , unit]) => {
    const figure = unit === 'bytes' ? name : `${name}Cpu`;
    const [before, after] = [document.peer?.[figure], document.server?.[figure]];
    if (!before || !after)
      return [];
    return [[document.name, title, formatValue(before.p50, unit), formatValue(after.p50, unit),
             (after.p50 / before.p50).toFixed(2), (after.min / before.min).toFixed(2)]];
  }));
  return table(['document', 'figure (computing time, memory)', 'before', 'after', 'ratio', 'of the least'], rows);
}

/** The promises that hold on any machine: ratios in the same run, never milliseconds. Returns [ok, text] pairs. */
export function checks(run) {
  const document = (nodes) => run.documents.find((entry) => entry.nodes === nodes);
  const [small, large] = [document(10000), document(100000)];
  const found = [];
  const atLeast = (title, value, limit) =>
    found.push([value >= limit, `${title}: ${formatRatio(value)}, at least ${limit}x is promised`]);
  const atMost = (title, value, limit) =>
    found.push([value <= limit, `${title}: ${formatRatio(value)}, at most ${limit}x is promised`]);
  for (const entry of [small, large].filter((one) => one.server.error || one.peer?.error))
    found.push([false, `${entry.name}: ${entry.server.error ?? entry.peer.error}`]);
  if (large.peer) {
    atLeast('open of 100k nodes, faster than the peer', ratioOf(large, 'open'), 2);
    atLeast('keystroke at 100k nodes, faster than the peer', ratioOf(large, 'keystroke'), 20);
    atLeast('burst at 100k nodes, faster than the peer', ratioOf(large, 'burst'), 20);
    atLeast('memory at 100k nodes, smaller than the peer', ratioOf(large, 'memoryOpen'), 2);
  }
  // Computing time where the system tells it: growth compares two moments, between which a machine's load may change.
  const cost = (entry, name) => (entry.server[`${name}Cpu`] ?? entry.server[name])?.p50;
  const growth = (name) => cost(large, name) / cost(small, name);
  atMost('open, 100k nodes against 10k', growth('open'), 15);
  atMost('keystroke, 100k nodes against 10k', growth('keystroke'), 3);
  return found;
}
