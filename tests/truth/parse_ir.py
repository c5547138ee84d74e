# Transforms graphs of tests/corpus as people write them and asks torch's own parser which it takes.
# Run by the Python of a torch: parse_ir.py CORPUS OUT.jsonl. A line of OUT is one text and the verdict.
import json
import os
import random
import re
import sys

import torch

GRAPHS_LIMIT = 40
LENGTH_LIMIT = 2500
SIZE_LIMIT = 190_000


def graphs(folder):
    """Each whole graph of a text file, without comments and scopes, which the parser does not take."""
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if not name.endswith('.txt'):
                continue
            text = open(os.path.join(root, name), encoding='utf-8', errors='replace').read()
            for graph in re.findall(r'^graph\(.*?^  return \([^\n]*\)$', text, re.M | re.S):
                graph = re.sub(r" : __torch__[\w.]*", " : Tensor", graph)
                graph = re.sub(r'(, scope: [^\n]*| # [^\n]*)$', '', graph, flags=re.M)
                if len(graph) <= LENGTH_LIMIT:
                    yield graph + '\n'


def accepts(text):
    try:
        torch._C.parse_ir(text)
    except RuntimeError:
        return False
    return True


def in_calls(graph, change):
    """Changes the arguments of every call."""
    return re.sub(r'(?<=[\w\]])\((%[^()\n]*)\)$', lambda m: '(' + change(m[1]) + ')', graph, flags=re.M)


def in_attributes(graph, change):
    return re.sub(r'(::\w+)\[([^"\n]*)\](?=\()', lambda m: m[1] + '[' + change(m[2]) + ']', graph)


def typed(graph, colon):
    return re.sub(r'(%[\w.]+) : ', r'\1' + colon, graph)


def comments(graph, rng):
    return ''.join(line + (rng.choice([' # a', '  # %x = (', '\n  # [b', '\n\n']) if rng.random() < 0.5 else '') + '\n'
                   for line in graph.splitlines())


TRANSFORMATIONS = {
    'same': lambda g, r: g,
    'colon': lambda g, r: typed(g, ': '),
    'no blanks': lambda g, r: typed(g, ':').replace(' = ', '='),
    'blanks before brackets': lambda g, r: re.sub(r'(?<=[a-z])\((?=%)', ' (', typed(g, ' :  ')),
    'blank before shape': lambda g, r: re.sub(r'\b(Float|Long|Int|Double|Bool)\(', r'\1 (', g),
    'blanks inside': lambda g, r: in_calls(g, lambda a: ' ' + a.replace(', ', ' , ') + ' '),
    'no blank after comma': lambda g, r: in_calls(g, lambda a: a.replace(', ', ',')),
    'argument a line': lambda g, r: in_calls(g, lambda a: '\n      ' + a.replace(', ', ',\n      ') + '\n  '),
    'arguments broken': lambda g, r: in_calls(g, lambda a: a.replace(', ', ',\n%*s' % (r.randrange(0, 12), ''))),
    'arguments with comments': lambda g, r: in_calls(g, lambda a: a.replace(', ', ', # of %y = (\n    ') + ' # z\n'),
    'bracket alone': lambda g, r: in_calls(g, lambda a: a + '\n)'),
    'comma first': lambda g, r: in_calls(g, lambda a: a.replace(', ', '\n  , ')),
    'attribute a line': lambda g, r: in_attributes(g, lambda a: '\n   ' + a.replace(', ', ',\n    ') + '\n'),
    'comments': comments,
    'empty lines': lambda g, r: g.replace('\n', '\n\n'),
    'tabs': lambda g, r: g.replace('  ', '\t'),
    'indent 4': lambda g, r: g.replace('  ', '    '),
    'redefinition': lambda g, r: re.sub(r'%(\w*[13579])\b', '%v', g),
    'windows': lambda g, r: g.replace('\n', '\r\n'),
    'header alone': lambda g, r: g.replace('graph(', 'graph(\n      ', 1).replace('):\n', '\n):\n', 1),
    'outputs a line': lambda g, r: re.sub(r'^(  %[\w.]+ : [^=\n]*?), (%)', r'\1,\n  \2', g, flags=re.M),
    'call on the next line': lambda g, r: re.sub(r' = (\w+::)', r' =\n    \1', g, count=1),
}


def main(corpus, out):
    rng = random.Random(1)
    good = [g for g in dict.fromkeys(graphs(corpus)) if accepts(g)]
    rng.shuffle(good)
    seen = set()
    size = 0
    with open(out, 'w', encoding='utf-8') as file:
        for graph in sorted(good[:GRAPHS_LIMIT], key=len):
            for name, transform in TRANSFORMATIONS.items():
                text = transform(graph, rng)
                if text in seen or (name != 'same' and rng.random() < 0.62):
                    continue
                seen.add(text)
                line = json.dumps({'how': name, 'accepted': accepts(text), 'text': text}) + '\n'
                size += len(line)
                if size <= SIZE_LIMIT:
                    file.write(line)


main(*sys.argv[1:])
