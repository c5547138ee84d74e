import { testDeep } from './deep.mjs';

testDeep('brackets');
