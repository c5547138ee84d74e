import { testDeep } from './deep.mjs';

testDeep('definitions');
