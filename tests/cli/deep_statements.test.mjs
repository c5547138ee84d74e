import { testDeep } from './deep.mjs';

testDeep('statements');
