// The index of the workspace: symbolic functions in Python files count as support in dumps, open or not.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { withServer } from './client.mjs';

void [assert, mkdirSync, mkdtempSync, rmSync, writeFileSync, tmpdir, join, test, pathToFileURL, withServer];
