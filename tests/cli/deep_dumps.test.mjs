import { testDeep } from './deep.mjs';

testDeep('dumps');
