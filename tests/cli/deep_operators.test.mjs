import { testDeep } from './deep.mjs';

testDeep('operators');
