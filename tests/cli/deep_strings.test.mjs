import { testDeep } from './deep.mjs';

testDeep('strings');
