import { testDeep } from './deep.mjs';

testDeep('expressions');
